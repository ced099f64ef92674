"""MobileNetV2, built with onnx: the architecture of the paper, with weights from a seed.

    python examples/mobilenet.py mobilenet_v2.onnx

It has 3,504,872 parameters, as the usual ones have, and knows nothing: the weights are random. It
is there to be measured and compared; put a trained file in its place to classify.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

__all__ = ["build"]

# Of each group of blocks: how much wider it is inside, channels, blocks, the first one's stride.
GROUPS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


class _Network:
    """Nodes and weights, added one after the other."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.parameters = 0

    def weight(self, values: np.ndarray, *, counts: bool = True) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        self.parameters += values.size if counts else 0
        return name

    def node(self, kind: str, inputs: list[str], output: str | None = None, **facts: object) -> str:
        name = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **facts))
        return name

    def layer(
        self, x: str, taken: int, given: int, kernel: int = 1, *, stride: int = 1, groups: int = 1,
        bends: bool = True,
    ) -> str:  # fmt: skip
        """A convolution, its normalisation and, unless it is a block's last, ReLU6."""
        shape = (given, taken // groups, kernel, kernel)
        spread = np.sqrt(2.0 / (shape[1] * kernel * kernel))
        weights = self.weight(self._random.normal(0, spread, shape))
        x = self.node(
            "Conv",
            [x, weights],
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            pads=[kernel // 2] * 4,
            group=groups,
        )
        learned = [self.weight(self._random.uniform(0.8, 1.2, given)), self.weight(np.zeros(given))]
        seen = [
            self.weight(self._random.normal(0, 0.1, given), counts=False),
            self.weight(self._random.uniform(0.8, 1.2, given), counts=False),
        ]
        x = self.node("BatchNormalization", [x, *learned, *seen], epsilon=1e-5)
        return self.node("Clip", [x, "zero", "six"]) if bends else x

    def dense(self, x: str, taken: int, given: int, output: str) -> None:
        weights = self.weight(self._random.normal(0, 0.05, (given, taken)))
        self.node("Gemm", [x, weights, self.weight(np.zeros(given))], output, transB=1)


def build(
    *, size: int = 224, width: float = 1.0, classes: int = 1000, batch: int | str = "N",
    seed: int = 2,
) -> bytes:  # fmt: skip
    """Return the network as the bytes of an ONNX file: input [batch, 3, size, size], output logits.

    `width` makes every layer but the last narrower, for a network that is quick to build."""
    net = _Network(seed)

    def wide(channels: int) -> int:
        return max(8, int(channels * width + 4) // 8 * 8)

    channels = wide(32)
    x = net.layer("input", 3, channels, 3, stride=2)
    for times, given, count, first in GROUPS:
        for number in range(count):
            stride, inside, after = first if number == 0 else 1, channels * times, wide(given)
            before = x
            if times != 1:
                x = net.layer(x, channels, inside)
            x = net.layer(x, inside, inside, 3, stride=stride, groups=inside)
            x = net.layer(x, inside, after, bends=False)
            if stride == 1 and channels == after:
                x = net.node("Add", [before, x])
            channels = after
    last = max(1280, wide(1280)) if width >= 1 else wide(1280)
    x = net.layer(x, channels, last)
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x])])
    net.dense(x, last, classes, "logits")
    bounds = [
        numpy_helper.from_array(np.float32(0), "zero"),
        numpy_helper.from_array(np.float32(6), "six"),
    ]
    graph = helper.make_graph(
        net.nodes,
        "mobilenet_v2",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [batch, 3, size, size])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch, classes])],
        [*bounds, *net.weights],
        doc_string=f"{net.parameters} parameters",
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def main() -> None:
    """Write the network to the file that is named."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "mobilenet_v2.onnx")
    data = build()
    path.write_bytes(data)
    print(f"{path}: {len(data):,} bytes, {onnx.load_from_string(data).graph.doc_string}")


if __name__ == "__main__":
    main()
