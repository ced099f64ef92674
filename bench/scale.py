"""`python -m bench.scale [photos|search]`: internet scale on paper, by simulation.

In: rates that this project measured, and what is assumed of stores, machines and prices. Out: the
tables of docs/scale.md, as Markdown. Every figure there is printed here, and a test compares them.
Chance comes from seeds, so that the same inputs print the same tables. Nothing is measured here:
what was, and where, stands beside each input.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from bench import scale_photos, scale_search
from bench.scale_photos import PhotoPlan
from bench.scale_search import SearchPlan

__all__ = ["TABLES"]

Plan = TypeVar("Plan", PhotoPlan, SearchPlan)
Line = Sequence[str]
_SHORT = 250_000  # photos of the runs that show what an input moves


def table(head: Line, lines: Sequence[Line]) -> str:
    """Lines as a Markdown table; all columns but the first are figures."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines))


def _inputs(plan: Plan) -> str:
    lines = [
        (field.metadata["what"], f"{getattr(plan, field.name):,g}", field.metadata["source"])
        for field in fields(plan)
    ]
    return table(("input", "value", "where it is from"), lines).replace("---:", "---")


def _sensitivity(
    plan: Plan, results: Sequence[tuple[str, Callable[[Plan], float]]], most: int = 6
) -> str:
    """What half and twice each input does to some results; those that move the first most."""
    base = [result(plan) for _, result in results]
    lines: list[tuple[float, Line]] = []
    for field in fields(plan):
        value = getattr(plan, field.name)
        cells, moved = [], 0.0
        for times in (0.5, 2.0):
            kind: Any = type(value)
            other = replace(plan, **{field.name: kind(value * times)})  # type: ignore[arg-type]
            ratios = [
                result(other) / before for (_, result), before in zip(results, base, strict=True)
            ]
            cells += [f"{ratio:.2f}" for ratio in ratios]
            moved = max(moved, abs(ratios[0] - 1))
        lines.append((moved, (field.metadata["what"], *cells)))
    lines.sort(key=lambda each: -each[0])
    head = ["input", *(f"{name}, {how}" for how in ("half of it", "twice") for name, _ in results)]
    return table(head, [line for _, line in lines[:most]])


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def _photo_totals() -> str:
    plan = PhotoPlan()
    lines = [(what, _count(value), unit) for what, value, unit in scale_photos.totals(plan)]
    return table(("ten billion photos", "", ""), lines)


def _photo_limits() -> str:
    plan = PhotoPlan()
    lines = [
        (what, _count(rate), _count(rate / plan.machine_rate))
        for what, rate in scale_photos.limits(plan)
    ]
    return table(("what one of it can do", "photos a second", "machines that keep it busy"), lines)


def _photo_runs() -> str:
    lines = []
    for machines in (10, 50, 100, 200, 400, 800):
        run = scale_photos.simulate(PhotoPlan(machines=machines))
        shares = (run.computing, run.driver, run.journal)
        lines.append(
            (
                f"{machines}",
                _count(run.rate),
                *(f"{100 * share:.0f} %" for share in shares),
                f"{100 * run.rate / (machines * PhotoPlan().machine_rate):.0f} %",
            )
        )
    head = ("machines of one run", "photos a second", "cores busy", "driver busy", "journal busy")
    return table((*head, "of what the cores could"), lines)


def _photo_stragglers() -> str:
    plan = PhotoPlan()
    changes: list[tuple[str, PhotoPlan]] = [
        ("as assumed", plan),
        ("slow batches are not started again", replace(plan, straggler=0.0)),
        ("no slow machines", replace(plan, slow_share=0.0)),
        ("no machine is taken away", replace(plan, interrupted=0.0)),
        ("half of the machines are taken away each hour", replace(plan, interrupted=0.5)),
        ("a request in a hundred fails", replace(plan, failing=0.01)),
    ]
    lines = []
    for what, changed in changes:
        run = scale_photos.simulate(changed, scale_photos.WHOLE)
        lines.append(
            (what, f"{run.seconds:.0f}", f"{run.tail:.0f}", f"{run.again:,}", _count(run.rate))
        )
    head = ("a run of 3.9 million photos", "seconds", "of which the last 1 % of batches took")
    return table((*head, "batches done again", "photos a second"), lines)


def _photo_costs() -> str:
    plan = PhotoPlan()
    lines = []
    for each in (1, 100, 1000):
        packed = replace(plan, photos_per_object=float(each))
        parts = scale_photos.costs(packed)
        total = sum(parts.values())
        lines.append((f"{each:,}", *(f"{part:.2f}" for part in parts.values()), f"{total:.2f}"))
    head = ["photos in an object", *scale_photos.costs(plan), "dollars a million photos"]
    return table(head, lines)


def _photo_sensitivity() -> str:
    def cost(plan: PhotoPlan) -> float:
        return sum(scale_photos.costs(plan, _SHORT).values())

    def hours(plan: PhotoPlan) -> float:
        return 1 / scale_photos.simulate(plan, _SHORT).rate

    return _sensitivity(PhotoPlan(), [("cost", cost), ("time", hours)], 8)


def _search_sizes() -> str:
    lines = []
    for machines in (4, 8, 16, 32, 64):
        plan = SearchPlan(machines=machines)
        lines.append(
            (
                f"{machines}",
                f"{plan.bytes_each / 1e9:,.0f}",
                f"{1e3 * scale_search.service(plan, 1):,.0f}",
                f"{scale_search.capacity(plan):,.0f}",
                scale_search.bound(plan, 1),
                scale_search.bound(plan, plan.together),
            )
        )
    head = ("machines", "GB of bytes on each", "one query, ms", "queries a second at most")
    return table((*head, "one waits for", "many wait for"), lines)


def _search_latencies() -> str:
    lines = []
    for machines in (8, 16, 64):
        for load in (0.25, 0.5, 0.75):
            plan = SearchPlan(machines=machines, load=load)
            found = scale_search.simulate(plan)
            lines.append(
                (
                    f"{machines}, {load:.0%} of the most",
                    f"{found.rate:,.0f}",
                    f"{found.batch:.1f}",
                    f"{found.median * 1e3:,.0f}",
                    f"{found.p99 * 1e3:,.0f}",
                    f"{scale_search.cost(plan):,.0f}",
                )
            )
    head = ("machines and load", "queries a second", "queries in a scan", "median, ms", "p99, ms")
    return table((*head, "dollars a million queries"), lines)


def _search_sensitivity() -> str:
    def late(plan: SearchPlan) -> float:
        return scale_search.simulate(plan).p99

    return _sensitivity(SearchPlan(), [("cost", scale_search.cost), ("p99", late)])


# What docs/scale.md shows, by the name that stands above it there.
TABLES: dict[str, Callable[[], str]] = {
    "photos: inputs": lambda: _inputs(PhotoPlan()),
    "photos: totals": _photo_totals,
    "photos: limits": _photo_limits,
    "photos: runs": _photo_runs,
    "photos: stragglers": _photo_stragglers,
    "photos: costs": _photo_costs,
    "photos: sensitivity": _photo_sensitivity,
    "search: inputs": lambda: _inputs(SearchPlan()),
    "search: sizes": _search_sizes,
    "search: latencies": _search_latencies,
    "search: sensitivity": _search_sensitivity,
}


def main() -> None:
    """Print the tables, or those of which the name begins with what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("which", nargs="?", default="", help="photos, search, or a whole name")
    which = parser.parse_args().which
    for name, made in TABLES.items():
        if name.startswith(which):
            print(f"{name}\n\n{made()}\n")


if __name__ == "__main__":
    main()
