"""What was decided about a kernel's loops, in plain words, for users who ask why it runs so.

In: the walk of a Schedule. Out: a line of text. It decides nothing.
"""

from __future__ import annotations

from treadle.ir.loops import (
    ByteScan,
    Carrying,
    Convolving,
    Counting,
    Folding,
    Laying,
    Loops,
    Measuring,
    Merging,
    Nest,
    Rolling,
    RowCode,
    RowPasses,
    StageRows,
    Vectors,
    Walk,
)

__all__ = ["describe"]


def describe(walk: Walk) -> str:
    """Say how a kernel's elements are walked."""
    match walk:
        case Loops():
            return ", ".join(_loops(walk))
        case Rolling():
            return _rolling(walk)
        case Folding():
            return ", ".join(_folding(walk))
        case RowPasses():
            return ", ".join(_row_passes(walk))
        case Carrying():
            found = f"lines that carry a state, {_lanes(walk.width)}"
            if walk.pieces is None:
                return f"{found}, each from its first element to its last"
            return f"{found}; few long ones in pieces, summed up ({walk.pieces.kind}) and joined"
        case Counting():
            tables = f", a table for each of {walk.channels} channels" if walk.channels > 1 else ""
            return f"counted in one pass over groups of rows{tables}"
        case ByteScan():
            return f"rows of bytes sixteen at a time, {walk.keeps}, {walk.products} at once"
        case Measuring():
            return f"{walk.terms} of some rows, eight partial sums at once"
        case Merging():
            return "sorted halves of rows merged, part by part"
        case Laying():
            return "rows of pictures laid out as planes, zeros around them"
        case Convolving():
            pixels = walk.vectors * walk.lanes
            return f"shifted planes added up, {walk.filters} filters by {pixels} pixels at once"


def _loops(walk: Loops) -> list[str]:
    main = walk.stream or walk.inside or walk.edge
    found = [_rows(walk.nest), *([] if walk.halves else _code(main))]
    if walk.halves:
        found.append("pairs at once")
        found += ["in vectors of bytes"] if walk.halves.bytes else []
    if walk.limits:
        found.append("interior without clamps")
    if walk.tiled:
        found.append("in tiles")
    return found


def _rolling(walk: Rolling) -> str:
    stages = [_stage(stage) for stage in walk.stages]
    if len(stages) == 1:
        return stages[0]
    numbered = "; ".join(f"stage {k}: {words}" for k, words in enumerate(stages, 1))
    rows = "units of rows" if walk.flat else f"{walk.step} rows at a time"
    rings = len(walk.rings)
    near = f" through {rings} ring{'' if rings == 1 else 's'} of rows" if rings else ""
    return f"{len(stages)} stages, {rows}{near}; {numbered}"


def _stage(stage: StageRows) -> str:
    code = stage.codes[-1][1]
    found = [_rows(stage.nest), *_code(code)]
    if stage.limits:
        found.append("interior without clamps")
    elif stage.ends:
        found.append("ends of rows repeated")
    if stage.window is not None:
        found.append(f"window of {len(stage.window.terms)} added once")
    return ", ".join(found)


def _rows(nest: Nest) -> str:
    if nest.unrolled is not None:
        channels = "channel" if nest.unrolled == 1 else "channels"
        return f"rows of pixels of {nest.unrolled} {channels}"
    if not nest.outer:
        return "one row of all elements" if nest.inner else "one element"
    if len(nest.inner) == 1:
        return "rows"
    last = nest.inner[-1]
    return f"rows of {last} channels" if isinstance(last, int) else "rows of several axes"


def _code(code: RowCode) -> list[str]:
    found = []
    if code.vectors is Vectors.ALONG:
        found.append(_lanes(code.width))
    elif code.vectors is Vectors.PIXELS:
        found.append(f"{code.width} pixels at once")
    elif code.vectors is Vectors.BYTES:
        found.append("bytes looked up in a table" if code.table else "vectors of bytes")
    elif code.lookups:
        found.append("bytes looked up one by one")
    if code.channels is not None:
        found.append("channels together")
    if code.abreast:
        found.append("functions side by side")
    if code.rows > 1:
        found.append(f"{code.rows} rows together")
    if code.parts:
        found.append("sums made of parts")
    if code.streams:
        found.append("streaming stores")
    return found


def _folding(walk: Folding) -> list[str]:
    found = ["folded along the last axis" if walk.along else "folded across columns"]
    found += [_lanes(walk.width)] if walk.width > 1 else []
    found += [f"{walk.abreast} rows at once"] if walk.abreast > 1 else []
    found += ["states joined in pairs of pairs"] if walk.rounds else []
    return found


def _row_passes(walk: RowPasses) -> list[str]:
    walks = sum(step.assign is None for step in walk.passes)
    kept = {local.name for step in walk.passes for local in step.locals if local.output}
    found = [f"{walks} pass{'' if walks == 1 else 'es'} over each row", _lanes(walk.width)]
    if kept:
        found.append(f"{len(kept)} value{'' if len(kept) == 1 else 's'} kept in the output")
    return found


def _lanes(width: int) -> str:
    return f"{width} lanes" if width > 1 else "1 lane"
