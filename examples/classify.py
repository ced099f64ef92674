"""What is in a photo: preprocess, a network, softmax, as one pipeline.

    python examples/classify.py PHOTO [--model net.onnx] [--labels labels.txt] [--device cpu]

Without a model it uses the MobileNetV2 of examples/mobilenet.py, whose weights are random: the
pipeline is real, and the answer is noise. Needs the extras `models` and `cli`, and onnx to build
the network.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

import treadle

NAME = "mobilenet_v2"


def classify(photo: Path, network: str | bytes, top: int) -> list[tuple[int, float]]:
    """Return the most likely classes of a photo, with their probabilities."""
    with treadle.model(network, name=NAME) as model:
        _, _, height, width = model.inputs[0].shape
        classes = model.outputs[0].shape[-1]
        with Image.open(photo) as opened:
            camera = treadle.buffer(np.asarray(opened.convert("RGB")))
        preprocessed = treadle.empty((1, 3, height, width))
        logits = treadle.empty((1, classes))
        probs = treadle.empty((1, classes))

        pipeline = treadle.pipeline()
        treadle.pipeline_add(
            pipeline,
            {
                "op": "run_kernel",
                "kernel": "preprocess",
                "inputs": [camera],
                "output": preprocessed,
                "params": {"normalize": True, "size": (height, width)},
            },
        )
        treadle.pipeline_add(
            pipeline,
            {
                "op": "run_kernel",
                "kernel": NAME,
                "inputs": [preprocessed],
                "output": logits,
                "params": {},
            },
        )
        treadle.pipeline_add(
            pipeline,
            {
                "op": "run_kernel",
                "kernel": "softmax",
                "inputs": [logits],
                "output": probs,
                "params": {},
            },
        )
        treadle.pipeline_run(pipeline)
        values, places = treadle.run_kernel("top_k", [probs], k=top)
        found = zip(places.to_numpy()[0].tolist(), values.to_numpy()[0].tolist(), strict=True)
        treadle.pipeline_free(pipeline)
        return list(found)


def main(arguments: list[str] | None = None) -> None:
    """Print the most likely classes of the photo that is named."""
    parser = argparse.ArgumentParser(description="Say what is in a photo.")
    parser.add_argument("photo", type=Path)
    parser.add_argument("--model", help="an ONNX file that takes [N, 3, height, width]")
    parser.add_argument("--labels", type=Path, help="a name in each line")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--device", help="cpu, cuda or webgpu; by default the best that is there")
    given = parser.parse_args(arguments)
    if given.model is None:
        from mobilenet import build

        network: str | bytes = build()
    else:
        network = given.model
    labels = given.labels.read_text(encoding="utf-8").splitlines() if given.labels else []
    with treadle.use_device(given.device):
        for place, probability in classify(given.photo, network, given.top):
            name = labels[place] if place < len(labels) else f"class {place}"
            print(f"{probability:7.2%}  {name}")


if __name__ == "__main__":
    main()
