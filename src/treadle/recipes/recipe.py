"""What a recipe is, and how its text becomes one.

In: untrusted TOML text. Out: a frozen Recipe whose kernels, parameters, types and ranges are right,
or a RecipeError that lists every problem with line, field and the nearest name. The files that it
names lie in its own folder unless the caller trusts it. Whether it fits an image is `fit`'s
business.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path, PurePath
from typing import Any

import treadle
from treadle.data import dataclass
from treadle.errors import suggest
from treadle.files import read_regular
from treadle.photos import PhotoError, format_of
from treadle.recipes.limits import MAX_PROBLEMS, MAX_STAGES, beyond
from treadle.recipes.locate import KeyPlace, locate
from treadle.recipes.network import SCORES, NetworkStage
from treadle.recipes.relative import is_share, share_problem

__all__ = ["Problem", "Recipe", "RecipeError", "RecipeStage", "parse"]

_FIELDS = ("name", "description", "tolerance", "output", "stage")
_OUTPUT = ("format", "quality")
# What the engine adds to a kernel's own parameters: computed from each image.
EXTRA = {"resize": {"max_side": "size"}, "bicubic_scale": {"max_side": "size"}}
MAX_SIDE = 65536
_MAX_FILE = 1 << 31  # bytes of a file that a recipe names
_NETWORK = ("model", "labels", "top", "scores")  # of a stage that is a network, its own fields
_TABLES = {"csv": "csv", "jsonl": "jsonl", "json": "jsonl"}  # what such a recipe writes
MAX_TOP = 100
_SHOWN = 120  # characters of a line or a value that a message shows


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a recipe: where, and what."""

    message: str
    line: int | None = None
    column: int | None = None


class RecipeError(treadle.TreadleError):
    """A recipe cannot be run; `problems` lists why, each with its line."""

    def __init__(self, source: str, problems: Sequence[Problem], text: str = "") -> None:
        self.source = source
        self.problems = tuple(problems)
        lines = text.splitlines()
        shown = []
        for problem in problems:
            where = f"{source}, line {problem.line}" if problem.line else source
            shown.append(f"{where}: {problem.message}")
            if problem.line and problem.line <= len(lines):
                start = max((problem.column or 0) - _SHOWN // 2, 0)
                shown.append(f"    {lines[problem.line - 1][start : start + _SHOWN]}")
                if problem.column is not None:
                    shown.append("    " + " " * (problem.column - start) + "^")
        super().__init__("\n".join(shown))


@dataclass(frozen=True, slots=True)
class RecipeStage:
    """One kernel with the parameters that the recipe gives it."""

    kernel: str
    params: Mapping[str, Any]
    line: int | None = None

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_shown(value)}" for name, value in self.params.items())
        return f"{self.kernel}({given})"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Stages in order, and what becomes of their result."""

    name: str
    description: str
    stages: tuple[RecipeStage, ...]
    format: str | None = None  # None: as the input
    quality: int | None = None
    source: str = "<recipe>"
    text: str = field(default="", repr=False)
    tolerance: float = 0.0  # steps that 8-bit results may be off
    network: NetworkStage | None = None  # behind the stages: what is written is what it says

    @property
    def label(self) -> str:
        """The name as one printable line, for pictures and traces: formats refuse the rest."""
        return "".join(char if char.isprintable() else "\ufffd" for char in self.name)

    @property
    def digest(self) -> str:
        """A hash of what it does: stages, output, and the files that it names."""
        said = [[s.kernel, dict(s.params)] for s in self.stages], self.format, self.quality
        close = [self.tolerance] if self.tolerance else []
        made = hashlib.sha256(json.dumps([*said, *close], sort_keys=True, default=str).encode())
        files = [v for s in self.stages for v in s.params.values() if isinstance(v, Path)]
        if (last := self.network) is not None:
            made.update(json.dumps([last.top, last.scores, dict(last.params or {})]).encode())
            files += [each for each in (last.model, last.labels) if each is not None]
        for path in files:
            with suppress(OSError):  # fitting it to an image says what is wrong
                made.update(read_regular(path, limit=_MAX_FILE))
        return made.hexdigest()


class _Enough(Exception):
    """More is wrong than a user will read."""


class _Reader:
    """Goes through a parsed file and notes what is wrong."""

    def __init__(self, text: str, folder: Path | None, *, trust: bool) -> None:
        self.places = locate(text)
        self.folder = folder or Path()
        self.trust = trust
        self.problems: list[Problem] = []

    def wrong(self, table: str, index: int, key: str, message: str, *, value: bool = True) -> None:
        place = self.places.get((table, index, key)) or self.places.get((table, index, ""))
        column = _column(place, value=value)
        self.problems.append(Problem(message, place.line if place else None, column))
        if len(self.problems) == MAX_PROBLEMS:
            raise _Enough

    def unknown(self, table: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
        for key in given:
            if key not in known:
                hint = suggest(key, known) or f"; known are {', '.join(known)}"
                self.wrong(table, 0, key, f"unknown field {key!r}{hint}", value=False)

    def text_of(self, given: Mapping[str, Any], key: str, default: str) -> str:
        value = given.get(key, default)
        if not isinstance(value, str):
            self.wrong("", 0, key, f"{key}: expected a string, got {_kind(value)}")
            return default
        return value

    def tolerance(self, given: Any) -> float:
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if not number or not 0 <= given <= 255:
            said = f"tolerance: expected a number of steps from 0 to 255, got {_kind(given)}"
            self.wrong("", 0, "tolerance", said)
            return 0.0
        return float(given)

    def network(self, index: int, given: dict[str, Any]) -> NetworkStage:
        """A stage that is a network; what is not its own goes to preprocess."""
        paths: dict[str, Path | None] = {"model": None, "labels": None}
        for key in paths:
            value = given.get(key)
            if isinstance(value, str):
                if said := self.path(value):
                    self.wrong("stage", index, key, f"{key}: {said}")
                paths[key] = self.folder / value
            elif key in given:
                self.wrong("stage", index, key, f"{key}: expected a file, got {_kind(value)}")
        top, scores = given.get("top", 5), given.get("scores", SCORES[0])
        if type(top) is not int or not 1 <= top <= MAX_TOP:
            said = f"top: expected a whole number from 1 to {MAX_TOP}, got {_kind(top)}"
            self.wrong("stage", index, "top", said)
        if scores not in SCORES:
            known = ", ".join(SCORES)
            self.wrong("stage", index, "scores", f"scores: expected one of {known}, got {scores!r}")
        info = treadle.kernel_info("preprocess")
        own = {key: value for key, value in given.items() if key not in _NETWORK}
        for key in [each for each in ("layout", "kernel") if each in own]:
            self.wrong("stage", index, key, f"{key}: a model has its own", value=False)
            del own[key]
        params = self.parameters(index, info, own)
        place = self.places.get(("stage", index, ""))
        line = place.line if place else None
        model = paths["model"] or self.folder
        return NetworkStage(model, paths["labels"], top, scores, params, line, self.trust)

    def output(self, given: Any, table: bool) -> tuple[str | None, int | None]:
        if not isinstance(given, dict):
            self.wrong("", 0, "output", f"output: expected a table [output], got {_kind(given)}")
            return None, None
        self.unknown("output", given, _OUTPUT)
        format_, quality = given.get("format"), given.get("quality")
        if table:
            if format_ is not None and str(format_).lower() not in _TABLES:
                said = f"format: a recipe with a model writes csv or jsonl, got {format_!r}"
                self.wrong("output", 0, "format", said)
            format_ = _TABLES.get(str(format_).lower(), "csv")
        elif format_ is not None:
            try:
                format_ = format_of(str(format_))
            except PhotoError as error:
                self.wrong("output", 0, "format", str(error))
        if quality is not None and (type(quality) is not int or not 1 <= quality <= 100):
            self.wrong("output", 0, "quality", f"quality: expected 1 to 100, got {quality!r}")
        return format_, quality

    def stage(self, index: int, given: Any) -> RecipeStage | None:
        if not isinstance(given, dict):
            self.wrong("", 0, "stage", "stage: expected tables, each starting with [[stage]]")
            return None
        place = self.places.get(("stage", index, ""))
        name = given.get("kernel")
        if not isinstance(name, str):
            what = "has no kernel" if name is None else f"kernel must be a name, got {_kind(name)}"
            self.wrong("stage", index, "kernel", f"stage {index + 1} {what}")
            return None
        try:
            info = treadle.kernel_info(name)
        except treadle.LaunchError as error:
            said = str(error).replace(
                "treadle.kernels() lists them", "`treadle kernels` lists them"
            )
            self.wrong("stage", index, "kernel", f"stage {index + 1}: {said}")
            return None
        if len(info.inputs) != 1:
            takes = ", ".join(info.inputs) or "none"
            self.wrong(
                "stage", index, "kernel",
                f"stage {index + 1}: {name} takes inputs {takes}; a stage has one, the image",
            )  # fmt: skip
            return None
        params = {key: value for key, value in given.items() if key != "kernel"}
        return RecipeStage(
            name, self.parameters(index, info, params), place.line if place else None
        )

    def parameters(self, index: int, info: Any, given: dict[str, Any]) -> dict[str, Any]:
        declared = {parameter.name: parameter for parameter in info.parameters}
        extra = EXTRA.get(info.name, {})
        checked: dict[str, Any] = {}
        for name, value in given.items():
            if name in extra:
                if type(value) is not int or not 1 <= value <= MAX_SIDE:
                    self.wrong(
                        "stage", index, name,
                        f"{name}: expected a whole number from 1 to {MAX_SIDE}, got {value!r}",
                    )  # fmt: skip
                checked[name] = value
            elif name not in declared:
                known = [*declared, *extra]
                hint = suggest(name, known) or (
                    f"; it takes {', '.join(known)}" if known else "; it takes no parameters"
                )
                said = f"{info.name} has no parameter {name!r}{hint}"
                self.wrong("stage", index, name, said, value=False)
            elif is_share(value):
                if problem := share_problem(info.name, name, value):
                    self.wrong("stage", index, name, f"{name}: {problem}")
                checked[name] = value
            else:
                checked[name] = self.value(index, declared[name], value)
        stands_for = {target for name, target in extra.items() if name in given}
        for name, parameter in declared.items():
            if repr(parameter.default) == "required" and name not in given | dict.fromkeys(
                stands_for
            ):
                other = "".join(f" or {e!r}" for e, target in extra.items() if target == name)
                self.wrong("stage", index, "", f"{info.name} needs the parameter {name!r}{other}")
        for name, target in extra.items():
            if name in given and target in given:
                self.wrong("stage", index, name, f"give either {name!r} or {target!r}, not both")
        return checked

    def value(self, index: int, parameter: Any, value: Any) -> Any:
        """Check one value against its declaration: kind by the default's, then the range."""
        problem = _mismatch(parameter, value)
        if problem:
            self.wrong("stage", index, parameter.name, f"{parameter.name}: {problem}")
        if parameter.convert is not None and isinstance(value, str):
            said = self.path(value)
            if said:
                self.wrong("stage", index, parameter.name, f"{parameter.name}: {said}")
            return self.folder / value
        return _tuples(value)

    def path(self, value: str) -> str:
        """What is wrong with the path of a file, which is not looked at where it leads outside."""
        path = self.folder / value
        if not (self.trust or _stays(value)) or "\0" in value:
            return f"{value!r} leads out of the recipe's folder; --trust allows it"
        try:
            inside = self.trust or os.path.realpath(path).startswith(
                os.path.join(os.path.realpath(self.folder), "")
            )
            if not inside:
                return f"{value!r} is a link out of the recipe's folder; --trust allows it"
            if path.is_file():
                return ""
        except OSError:  # a name that is too long, a folder that cannot be read
            pass
        return f"not a regular file: {path}" if os.path.lexists(path) else f"no such file: {path}"


def parse(
    text: str, *, source: str = "<recipe>", folder: Path | None = None, trust: bool = False
) -> Recipe:
    """Read a recipe; raise a RecipeError that lists all that is wrong with it.

    Names of files in it are relative to `folder`, and lead out of it only with `trust`."""
    if large := beyond(text):
        raise RecipeError(source, [Problem(*large)])
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        said = re.sub(r" \(at .*\)$", "", str(error))
        problem = Problem(f"not valid TOML: {said}", *(
            (int(at[1]), int(at[2]) - 1) if at else (len(text.splitlines()) or None, None)
        ))  # fmt: skip
        raise RecipeError(source, [problem], text) from None
    except (ValueError, RecursionError) as error:  # what the limits leave to the parser
        said = f"not valid TOML: {str(error)[:_SHOWN]}"
        raise RecipeError(source, [Problem(said)]) from None
    reader = _Reader(text, folder, trust=trust)
    more = []
    try:
        recipe = _read(reader, given, source, text)
    except _Enough:
        more = [Problem(f"and perhaps more: the first {MAX_PROBLEMS} problems are listed")]
    if reader.problems:
        ordered = sorted(reader.problems, key=lambda problem: problem.line or 0)
        raise RecipeError(source, ordered + more, text)
    return recipe


def _read(reader: _Reader, given: Mapping[str, Any], source: str, text: str) -> Recipe:
    """The recipe that a parsed file describes, right where the reader has no problem with it."""
    reader.unknown("", given, _FIELDS)
    name = reader.text_of(given, "name", Path(source).stem)
    description = reader.text_of(given, "description", "")
    tolerance = reader.tolerance(given.get("tolerance", 0))
    listed = given.get("stage", [])
    network: NetworkStage | None = None
    if isinstance(listed, list) and listed:
        models = [i for i, each in enumerate(listed) if isinstance(each, dict) and "model" in each]
        for index in [i for i in models if i != len(listed) - 1]:
            said = "a model is the last stage: what it says is what is written"
            reader.wrong("stage", index, "model", said, value=False)
        if len(listed) - 1 in models:
            network = reader.network(len(listed) - 1, listed[-1])
        listed = [each for i, each in enumerate(listed) if i not in models]
    format_, quality = reader.output(given.get("output", {}), network is not None)
    if not isinstance(listed, list) or not (listed or network):
        hint = "; write [[stage]] with two brackets" if isinstance(listed, dict) else ""
        reader.wrong("stage", 0, "", f"a recipe has at least one [[stage]]{hint}")
        listed = []
    if len(listed) > MAX_STAGES:
        said = f"{len(listed)} stages; a recipe has at most {MAX_STAGES}"
        reader.wrong("stage", MAX_STAGES, "", said)
        listed = []
    stages = tuple(s for i, each in enumerate(listed) if (s := reader.stage(i, each)) is not None)
    made = Recipe(name, description, stages, format_, quality, source, text, tolerance)
    return replace(made, network=network)


def _mismatch(parameter: Any, value: Any) -> str:
    default = parameter.default
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if (odd := _unusable(value)) is not None:
        return f"expected a finite number, of 64 bits at most, got {_short(odd)}"
    bounded = parameter.low is not None or parameter.high is not None
    if isinstance(default, bool):
        wanted = "" if isinstance(value, bool) else "true or false"
    elif isinstance(default, str):
        wanted = "" if isinstance(value, str) else "a string"
    elif isinstance(default, int) and parameter.static:
        wanted = "" if type(value) is int else "a whole number"
    elif isinstance(default, int | float) or bounded:
        wanted = "" if number else "a number"
    else:
        wanted = "" if not isinstance(value, dict) else "a number, a string or a list"
    if wanted:
        return f"expected {wanted}, got {_kind(value)}"
    low = -math.inf if parameter.low is None else parameter.low
    high = math.inf if parameter.high is None else parameter.high
    if number and not low <= value <= high:
        return f"expected {parameter.range}, got {value!r}"
    return ""


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", str: "a string", list: "a list", dict: "a table"}
    return f"{kinds.get(type(value), type(value).__name__)} {_short(value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _unusable(value: Any) -> Any:
    """The first number in a value that no parameter can hold, or None."""
    if isinstance(value, list):
        return next((odd for each in value if (odd := _unusable(each)) is not None), None)
    bad = isinstance(value, float) and not math.isfinite(value)
    return value if bad or (isinstance(value, int) and not -(2**63) <= value < 2**63) else None


def _stays(name: str) -> bool:
    """Whether a name, as it is written, leads to a place below where it starts."""
    path = PurePath(name)
    return not path.anchor and os.path.normpath(name).split(os.sep)[0] != os.pardir


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Path) else json.dumps(value)


def _column(place: KeyPlace | None, *, value: bool) -> int | None:
    if place is None:
        return None
    return place.value if value else place.key
