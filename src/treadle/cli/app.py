"""The commands of the command line: their names, options and help.

In: arguments. Out: calls of the module that does the work, which is imported then, so that `treadle
--help` is quick. There is no logic here.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from treadle._version import __version__
from treadle.cli.arguments import (
    DeviceName,
    Json,
    RecipeName,
    Trust,
    device_names,
    kernel_names,
    leave,
)
from treadle.cli.serve_command import serve
from treadle.cli.view_command import view

__all__ = ["app"]

_EXIT = (
    "Exit status: 0 all is well; 1 something failed, the rest was done; 2 nothing was started; "
    "130 stopped by Ctrl-C."
)

# Plain help: rich would add a fifth of a second to it.
app = typer.Typer(
    help="Run compute from Python without waiting for it: recipes over folders of images.",
    epilog=_EXIT,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
recipe = typer.Typer(
    help="List, check and show recipes.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(recipe, name="recipe")
search = typer.Typer(
    help="Build an index of vectors, and find what is nearest.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(search, name="search")


class MetricName(StrEnum):
    """How distance is measured."""

    l2 = "l2"
    cosine = "cosine"
    dot = "dot"
    l1 = "l1"
    hamming = "hamming"


class ReportAs(StrEnum):
    """How to print a run's report."""

    text = "text"
    json = "json"
    none = "none"


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"treadle {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Run compute from Python without waiting for it: recipes over folders of images."""


@app.command(epilog=_EXIT)
def run(
    recipe: RecipeName,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Files, folders, patterns; - is standard input.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            help="Where results go: a folder, a file for one input, or - for standard output.",
            show_default=False,
        ),
    ] = None,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'KERNEL NAME=VALUE'",
            help="A stage of a recipe on the fly, instead of RECIPE; may be given several times.",
            show_default=False,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="STAGE.NAME=VALUE",
            help="Another value for a stage of the recipe, by its kernel or its number.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="TEMPLATE",
            help="What results are called: '{stem}-small.{ext}'; also {recipe} and {n}.",
            show_default=False,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="[ADDRESS]",
            help="Spread the work over a cluster of Ray: host:port of its head, auto for the one "
            "that runs here, local (or nothing) to start workers on this machine.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="With --cluster: how many workers; as many as fit by default.",
            show_default=False,
        ),
    ] = None,
    device: DeviceName = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "-j",
            "--jobs",
            min=1,
            max=256,
            metavar="N",
            help="Threads that read and write files, one for each core by default; with --cluster "
            "the cores of each worker.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="jpeg, png, webp or tiff; as the input by default.",
            show_default=False,
        ),
    ] = None,
    quality: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            metavar="N",
            help="Of JPEG and WebP, 1 to 100; 92 by default.",
            show_default=False,
        ),
    ] = None,
    strip: Annotated[
        bool,
        typer.Option(
            "--strip", help="Leave out EXIF, GPS, XMP and IPTC; the colour profile stays."
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip what an earlier run made and is unchanged.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace outputs that are there already.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first image that fails.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a timeline: a trace for Perfetto, or a picture (.svg, .html, .png).",
            show_default=False,
        ),
    ] = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Print the address of a page to watch it on.")
    ] = False,
    report: Annotated[
        ReportAs, typer.Option(help="How to print the figures at the end.")
    ] = ReportAs.text,
    max_pixels: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="MEGAPIXELS",
            help="Refuse larger images, as decompression bombs are; 179 by default.",
            show_default=False,
        ),
    ] = None,
    max_bytes: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="MEGABYTES",
            help="Refuse larger files; 1000 by default.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print a line of JSON for each file, and one at the end."),
    ] = False,
    trust: Trust = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress bar.")] = False,
) -> None:
    """Run a recipe over images.

    Outputs keep their names and folders below the output folder and appear whole or not at all. An
    image that cannot be done is reported at the end while all others are done. With --stage there
    is no RECIPE, and every word is an INPUT.
    """  # fmt: skip
    from treadle.cli import runner

    leave(
        runner.run(
            recipe, inputs or [], out, stages=stage or [], settings=set_ or [], name=name,
            cluster=cluster, workers=workers,
            device=device, jobs=jobs, format=format, quality=quality,
            resume=resume, overwrite=overwrite, strict=strict, dry_run=dry_run, trace=trace,
            dashboard=dashboard,
            report=report.value, as_json=json, max_pixels=max_pixels, max_bytes=max_bytes,
            strip=strip, trust=trust, quiet=quiet,
        )
    )  # fmt: skip


@recipe.command("list")
def recipe_list(json: Json = False) -> None:
    """List the recipes that ship with Treadle."""
    from treadle.cli import recipes

    leave(recipes.show_list(as_json=json))


@recipe.command("check")
def recipe_check(recipe: RecipeName, trust: Trust = False) -> None:
    """Check a recipe without running it."""
    from treadle.cli import recipes

    leave(recipes.check(recipe, trust=trust))


@recipe.command("show", short_help="Draw what a recipe does, stage by stage.")
def recipe_show(
    recipe: RecipeName,
    size: Annotated[
        str, typer.Option(metavar="WxH", help="The size of image to plan for.")
    ] = "4000x3000",
    device: DeviceName = None,
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print the plan as a Mermaid diagram instead.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the plan to a file instead.", show_default=False),
    ] = None,
    source: Annotated[bool, typer.Option("--source", help="Print its TOML text.")] = False,
    trust: Trust = False,
) -> None:
    """Draw what a recipe does, stage by stage, and what the device makes of it."""
    from treadle.cli import recipes

    leave(
        recipes.show(
            recipe, size, device=device, mermaid=mermaid, svg=svg, source=source, trust=trust
        )
    )


IndexFile = Annotated[
    Path, typer.Argument(metavar="INDEX", help="A file that `search build` made.")
]
Key = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The array of an .npz or the column of a .parquet with the vectors.",
        show_default=False,
    ),
]  # fmt: skip


@search.command("build", short_help="Make an index of files of vectors.")
def search_build(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="VECTORS", help="Files: .npy, .npz, .fvecs, .parquet."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="INDEX", help="Where it goes.")],
    metric: Annotated[MetricName, typer.Option(help="How distance is measured.")] = MetricName.l2,
    dtype: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="f32, u8 or bits; what suits the metric by default."),
    ] = None,
    key: Key = None,
    ids: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What holds the ids; numbers from 0 by default."),
    ] = None,
    first_id: Annotated[
        int,
        typer.Option(
            metavar="N", min=-(2**63), max=2**63 - 1, help="The first id of rows without --ids."
        ),
    ] = 0,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A column to keep for --where; may be given again."),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Add to an index that is there.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace it.")] = False,
    device: DeviceName = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress bar.")] = False,
) -> None:
    """Make an index of files of vectors. It appears whole or not at all."""
    from treadle.cli import search as module

    leave(
        module.build(
            inputs, out, metric=metric.value, dtype=dtype, key=key, ids=ids, first_id=first_id,
            columns=column or (), add=add, overwrite=overwrite, device=device, quiet=quiet,
        )
    )  # fmt: skip


@search.command("query", short_help="Find what is nearest to each vector of a file.")
def search_query(
    index: Annotated[
        list[Path],
        typer.Argument(
            metavar="INDEX", help="Files that `search build` made; several are one index."
        ),
    ],
    queries: Annotated[
        Path, typer.Argument(metavar="QUERIES", help="A file of vectors, as `build` takes it.")
    ],
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many for each query.")] = 10,
    where: Annotated[
        str | None,
        typer.Option(metavar="PREDICATE", help='Which rows count: "price < 20 and not sold".'),
    ] = None,
    probes: Annotated[
        int | None,
        typer.Option(metavar="N", help="Look at N lists of rows only, which may miss some."),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Go on without an index that cannot be read.")
    ] = False,
    key: Key = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write .npy, .npz or .jsonl instead."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each.")] = False,
    device: DeviceName = None,
) -> None:
    """Find what is nearest to each vector of a file, exactly.

    Several indexes are searched as one, if no id is in two of them. The exit status is 1 if some
    were left out with --partial.
    """
    from treadle.cli import search as module

    leave(
        module.query(
            index, queries, k=k, where=where, probes=probes, partial=partial, key=key, out=out,
            as_json=json, device=device,
        )
    )  # fmt: skip


@search.command("info")
def search_info(
    index: IndexFile,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every byte against its checksum.")
    ] = False,
    json: Json = False,
) -> None:
    """Say what an index file holds."""
    from treadle.cli import search as module

    leave(module.info(index, verify=verify, as_json=json))


app.command(
    epilog="Exit status: 0 stopped, and all that was accepted was answered; 2 nothing was started; "
    "130 stopped at once.",
    short_help="Offer a recipe, a network or an index over HTTP.",
)(serve)
app.command(short_help="See what a recipe does while its parameters change.")(view)


@app.command()
def devices(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="cpu, cuda, cuda:1, webgpu, ...; all by default.",
            autocompletion=device_names,
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show which devices are present, and why others are not.

    With names, look at those only; the exit status is 1 if one of them cannot be used.
    """  # fmt: skip
    from treadle.cli import devices as module

    leave(module.devices(names or [], as_json=json))


@app.command(short_help="List the kernels, or describe one.")
def kernels(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A kernel's name; all by default.",
            autocompletion=kernel_names,
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the kernels, or describe one: signature, parameters, ranges, dtypes, shape."""
    from treadle.cli import kernels as module

    leave(module.kernels(name, as_json=json))


@app.command(short_help="Measure this machine, beside other libraries.")
def bench(
    device: DeviceName = None,
    json: Json = False,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.05, max=60.0, metavar="SECONDS", help="Time for each line and each peer."
        ),
    ] = 1.0,
) -> None:
    """Measure this machine: headline benchmarks beside the peers that are installed."""
    from treadle.cli import bench as module

    leave(module.bench(device, seconds=seconds, as_json=json))


@app.command()
def doctor(json: Json = False) -> None:
    """Say what is installed, what is missing and what to do about it."""
    from treadle.cli import doctor as module

    leave(module.doctor(as_json=json))
