"""A service: a recipe for photos, a network that says what is on them, and nearest neighbours.

    python examples/serve.py [--port 8000] [--recipe thumbnail] [--model net.onnx]

Open the address that it prints and drop a photo on the page, or ask it from a program, as
docs/serving.md says. `treadle serve` starts the same app from the command line. Needs the extra
`serve`, and `models` for a network.
"""

from __future__ import annotations

import argparse

import numpy as np

import treadle
from treadle import recipes
from treadle.serving import Service, ServiceLimits, serve

DIM = 64


def main(arguments: list[str] | None = None) -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serve photos, classes and neighbours.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--recipe", default="thumbnail")
    parser.add_argument("--model", help="an ONNX file that takes photos")
    given = parser.parse_args(arguments)

    # Vectors of your own would come from a file: treadle.search.Index.open("items.index").
    index = treadle.search.Index(DIM, metric="cosine")
    index.add(np.random.default_rng(1).normal(size=(10_000, DIM)))
    model = None if given.model is None else treadle.model(given.model)

    service = Service(
        recipes.load(given.recipe),
        model=model,
        index=index,
        limits=ServiceLimits(max_pixels=30_000_000),
    )
    with index:
        serve(service, port=given.port, ready=lambda server: print(server.address, flush=True))


if __name__ == "__main__":
    main()
