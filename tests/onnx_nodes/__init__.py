"""ONNX's own node test data, run with Treadle's kernels: how much of the standard they cover.

    make onnx                                       every case on the CPU, with what is missing
    make onnx ARGS="--device reference --only Pad"  the cases of one operator, on another device

The data is made by the onnx package itself, offline. Elements are computed by kernels alone; what
the host computes is shapes, axes and other numbers that a kernel takes as parameters, and tables
that depend on nothing else. Operators are given their whole meaning: a case that a kernel cannot
express is refused with the reason, and counts as not covered."""
