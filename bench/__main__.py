"""`python -m bench`: measure everything and print one table.

In: command line options. Out: the table on standard output, and on request as JSON or as a recorded
page. Nothing here is asserted in tests: a figure below its bar is shown, not raised.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import treadle
from bench import (
    arrays,
    awkward,
    batching,
    cluster,
    clusterrun,
    compile,
    images,
    imports,
    index_files,
    indexes,
    latency,
    loop,
    machine,
    memory,
    models,
    order,
    pipelines,
    search,
    serve,
    sizes,
    streams,
    surface,
    throughput,
)
from bench.table import Row, as_data, as_headlines, as_markdown, as_text
from bench.timing import FULL, QUICK, Effort

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"
HEADLINES = (  # the lines of which the README shows rows
    *throughput.LINES, "small", "await", "compile", "search", "pipelines", "ticker", "streams",
    "batching", "models",
)  # fmt: skip
START, END = "<!-- figures: make bench ARGS=--readme -->", "<!-- end of figures -->"
LINES: dict[str, Callable[[Effort], list[Row]]] = {
    **throughput.LINES,
    **images.LINES,
    **latency.LINES,
    **arrays.LINES,
    **compile.LINES,
    **search.LINES,
    **awkward.LINES,
    **order.LINES,
    **sizes.LINES,
    **pipelines.LINES,
    **loop.LINES,
    **streams.LINES,
    **surface.LINES,
    **batching.LINES,
    **cluster.LINES,
    **clusterrun.LINES,
    **models.LINES,
    **memory.LINES,
    **indexes.LINES,
    **index_files.LINES,
    **serve.LINES,
    **imports.LINES,
}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    about = "Measure Treadle beside its peers and print one table."
    parser = argparse.ArgumentParser(prog="python -m bench", description=about)
    names = ", ".join(LINES)
    parser.add_argument(
        "--only", action="append", choices=list(LINES), metavar="NAME", help=f"one of {names}"
    )
    parser.add_argument(
        "--device", metavar="NAME", help="measure there; by default, where work goes"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats: to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--record", action="store_true", help="write a page to bench/results/")
    parser.add_argument("--readme", action="store_true", help="measure the README's lines, into it")
    return parser.parse_args(arguments)


def measure(names: Sequence[str], effort: Effort) -> list[Row]:
    """Measure the named lines in order, telling a person who watches what is under way."""
    rows = []
    for number, name in enumerate(names, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number}/{len(names)} {name}", end="", file=sys.stderr, flush=True)
        rows += LINES[name](effort)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return rows


def record(rows: Sequence[Row], command: str, part: Sequence[str] = ()) -> Path:
    """Write the page of one run and return where it is; one of some lines only has its own."""
    listed = "\n".join(f"- {name}: {value}" for name, value in machine.facts().items())
    text = f"# {machine.date()}, {machine.slug()}\n\n{listed}\n- command: `{command}`\n\n"
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{'-'.join([machine.date(), machine.slug(), *part])}.md"
    path.write_text(text + as_markdown(rows) + "\n", encoding="utf-8")
    return path


def publish(rows: Sequence[Row], path: Path = README) -> None:
    """Replace the figures between the marks in the README."""
    facts = machine.facts()
    text = path.read_text(encoding="utf-8")
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise SystemExit(f"{path.name} has no place for figures: {START} ... {END}")
    where = f"{facts['date']}, {facts['machine']}, Python {facts['python'].split()[-1]}:"
    table = f"{where}\n\n{as_headlines(rows)}"
    path.write_text(f"{before}{START}\n{table}\n{END}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the options ask for."""
    options = _options(arguments)
    effort = QUICK if options.quick else FULL
    with treadle.use_device(treadle.device(options.device)):
        rows = measure(options.only or list(HEADLINES if options.readme else LINES), effort)
    facts = machine.facts()
    print("Treadle " + facts["treadle"] + " on " + facts["machine"])
    print()
    print(as_text(rows))
    if options.json:
        data = {"machine": facts, "rows": as_data(rows)}
        options.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    if options.record:
        # What changes figures; where else they were written to is nobody's business.
        chosen = ["--quick"] * options.quick + [f"--only {name}" for name in options.only or ()]
        path = record(rows, " ".join(["python -m bench", *chosen]), options.only or ())
        print(f"recorded in {path.relative_to(README.parent)}")
    if options.readme:
        publish(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
