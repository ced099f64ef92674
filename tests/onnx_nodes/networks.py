"""Operators of networks: sums over axes, products, windows, normalisations, places in between."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onnx_nodes.tensors import Refused, Tensor, call, cast, same_kind, scalar

Inputs = list[Any]
Attributes = dict[str, Any]


def reduced(kernel: str, before: Any = None, after: Any = None) -> Any:
    """A reduction, with something done before and after it."""

    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        x = inputs[0]
        given = inputs[1] if len(inputs) > 1 else None
        axes = given.numbers() if given is not None else attributes.get("axes", ())
        made = before(x) if before else x
        if axes or not attributes.get("noop_with_empty_axes"):
            keep = bool(attributes.get("keepdims", 1))
            made = call(kernel, made, axis=tuple(axes) or None, keepdims=keep)
        return cast(after(made) if after else made, x.kind)

    return run


def log_sum_exp(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    given = inputs[1] if len(inputs) > 1 else None
    axes = tuple(given.numbers()) if given is not None else attributes.get("axes", ())
    if not axes and attributes.get("noop_with_empty_axes"):
        return x
    axis, keep = axes or None, bool(attributes.get("keepdims", 1))
    high = call("reduce_max", x, axis=axis, keepdims=True)
    high = call("where", call("isinf", high), scalar(x, 0), high)
    powers = call("exp", call("elementwise_sub", x, high))
    total = call("log", call("reduce_sum", powers, axis=axis, keepdims=keep))
    return call("elementwise_add", total, high if keep else high.reshape(*total.shape))


def positions(kernel: str) -> Any:
    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        x = inputs[0]
        axis, keep = attributes.get("axis", 0), bool(attributes.get("keepdims", 1))
        if attributes.get("select_last_index"):
            x = call("slice", x, steps=-1, axes=axis)
        found = call(kernel, x, axis=axis, keepdims=keep)
        if attributes.get("select_last_index"):
            found = call("elementwise_sub", scalar(found, x.shape[axis] - 1), found)
        return cast(found, np.int64)

    return run


def matmul(inputs: Inputs, attributes: Attributes) -> Tensor:
    a, b = inputs
    left = a.reshape(1, *a.shape) if a.ndim == 1 else a
    right = b.reshape(*b.shape, 1) if b.ndim == 1 else b
    made = call("matmul", left, right)
    shape = list(made.shape)
    if b.ndim == 1:
        del shape[-1]
    if a.ndim == 1:
        del shape[-1 if b.ndim == 1 else -2]
    return made.reshape(*shape)


def gemm(inputs: Inputs, attributes: Attributes) -> Tensor:
    a, b, c = (*inputs, None)[:3]
    a = call("transpose", a) if attributes.get("transA") else a
    b = call("transpose", b) if attributes.get("transB") else b
    made = call("matmul", a, b)
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    made = made if alpha == 1.0 else call("scalar_mul", made, scalar=alpha)
    if c is None:
        return made
    c = c if beta == 1.0 else call("scalar_mul", c, scalar=beta)
    return call("elementwise_add", made, c)


def same_padding(x: Tensor, taps: Any, attributes: Attributes, rank: int) -> tuple[int, ...]:
    """What auto_pad stands for."""
    kind = attributes.get("auto_pad", "NOTSET")
    if kind in ("NOTSET", "VALID"):
        return tuple(attributes.get("pads", (0,) * 2 * rank))
    strides = attributes.get("strides", (1,) * rank)
    dilations = attributes.get("dilations", (1,) * rank)
    each = zip(x.shape[2:], strides, taps, dilations, strict=True)
    missing = [max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0) for n, s, k, d in each]
    small, large = [m // 2 for m in missing], [m - m // 2 for m in missing]
    return (*small, *large) if kind == "SAME_UPPER" else (*large, *small)


def conv(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, weight, bias = (*inputs, None)[:3]
    rank = x.ndim - 2
    if rank > 2:
        raise Refused("Conv: more than two spatial axes")
    pads = same_padding(x, weight.shape[2:], attributes, rank)
    strides = attributes.get("strides", (1,) * rank)
    dilations = attributes.get("dilations", (1,) * rank)
    if rank == 1:
        x, weight = (t.reshape(*t.shape[:2], 1, t.shape[2]) for t in (x, weight))
        pads, strides, dilations = (0, pads[0], 0, pads[1]), (1, *strides), (1, *dilations)
    made = call("conv2d", x, weight, bias, stride=tuple(strides), padding=tuple(pads),
                dilation=tuple(dilations), groups=attributes.get("group", 1))  # fmt: skip
    return made.reshape(*made.shape[:2], made.shape[3]) if rank == 1 else made


def conv_transpose(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, weight = inputs[:2]
    rank = x.ndim - 2
    taps = weight.shape[2:]
    strides = attributes.get("strides", (1,) * rank)
    dilations = attributes.get("dilations", (1,) * rank)
    more = attributes.get("output_padding", (0,) * rank)
    pads = attributes.get("pads", (0,) * 2 * rank)
    kind = attributes.get("auto_pad", "NOTSET")
    each = zip(strides, x.shape[2:], dilations, taps, more, strict=True)
    full = [s * (n - 1) + d * (k - 1) + 1 + o for s, n, d, k, o in each]
    wanted = attributes.get("output_shape")
    if wanted is None and kind.startswith("SAME"):
        wanted = [n * s for n, s in zip(x.shape[2:], strides, strict=True)]
    if wanted is not None:
        total = [f - w for f, w in zip(full, wanted, strict=True)]
        more = [o - min(t, 0) for o, t in zip(more, total, strict=True)]
        total = [max(t, 0) for t in total]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        pads = (*large, *small) if kind != "SAME_UPPER" else (*small, *large)
    return call("conv_transpose", *inputs, stride=tuple(strides), padding=tuple(pads),
                more=tuple(more), dilation=tuple(dilations),
                groups=attributes.get("group", 1))  # fmt: skip


def col2im(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, shape, block = inputs
    names = {"strides": "stride", "pads": "padding", "dilations": "dilation"}
    params = {names[k]: tuple(v) for k, v in attributes.items()}
    return call("fold", x, shape=shape.numbers(), window=block.numbers(), **params)


def pool_params(x: Tensor, attributes: Attributes) -> Attributes:
    taps = tuple(attributes["kernel_shape"])
    return {
        "window": taps,
        "stride": tuple(attributes.get("strides", (1,) * len(taps))),
        "padding": same_padding(x, taps, attributes, len(taps)),
        "dilation": tuple(attributes.get("dilations", (1,) * len(taps))),
        "ceil": bool(attributes.get("ceil_mode")),
    }


def max_pool(inputs: Inputs, attributes: Attributes) -> Tensor:
    if attributes["outputs"] > 1:
        raise Refused("MaxPool: positions")
    return call("max_pool", inputs[0], **pool_params(inputs[0], attributes))


def average_pool(inputs: Inputs, attributes: Attributes) -> Tensor:
    padded = bool(attributes.get("count_include_pad"))
    return call("average_pool", inputs[0], padded=padded, **pool_params(inputs[0], attributes))


def lp_pool(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, p = inputs[0], attributes.get("p", 2)
    params = pool_params(x, attributes)
    powers = call("pow", call("abs", x), exponent=p)
    means = call("average_pool", powers, padded=True, **params)
    sums = call("scalar_mul", means, scalar=float(math.prod(params["window"])))
    return call("pow", sums, exponent=1.0 / p)


def layer_norm(inputs: Inputs, attributes: Attributes) -> Any:
    x, scale, bias = (*inputs, None)[:3]
    axis = attributes.get("axis", -1) % x.ndim
    # One axis is normalised here: those that ONNX normalises together become one.
    rows = x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    flat = [p.reshape(math.prod(p.shape)) for p in (scale, bias) if p is not None]
    eps = attributes.get("epsilon", 1e-5)
    made = call("layer_norm", rows, *flat, eps=eps).reshape(*x.shape)
    if attributes["outputs"] == 1:
        return made
    mean = call("reduce_mean", rows, axis=1, keepdims=True)
    apart = call("elementwise_sub", rows, mean)
    spread = call("reduce_mean", call("elementwise_mul", apart, apart), axis=1, keepdims=True)
    spread = call("reciprocal", call("sqrt", call("scalar_add", spread, scalar=eps)))
    shape = (*x.shape[:axis], *(1 for _ in x.shape[axis:]))
    return made, mean.reshape(*shape), spread.reshape(*shape)


def batch_norm(inputs: Inputs, attributes: Attributes) -> Tensor:
    if attributes.get("training_mode"):
        raise Refused("BatchNormalization: training")
    return call("batch_norm", *inputs, eps=attributes.get("epsilon", 1e-5))


def resize(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, region, scales, sizes = (*inputs, None, None, None)[:4]
    axes = tuple(attributes.get("axes", range(x.ndim)))
    axes = tuple(a % x.ndim for a in axes)
    params: Attributes = {
        "axes": axes,
        "method": attributes.get("mode", "nearest"),
        "mapping": attributes.get("coordinate_transformation_mode", "half_pixel"),
        "nearest": attributes.get("nearest_mode", "round_prefer_floor"),
        "cubic": attributes.get("cubic_coeff_a", -0.75),
        "antialias": bool(attributes.get("antialias", 0)),
        "exclude": bool(attributes.get("exclude_outside", 0)),
        "value": float(attributes.get("extrapolation_value", 0.0)),
    }
    if params["mapping"] == "tf_crop_and_resize":
        params["mapping"] = "crop_and_resize"
        params["region"] = tuple(float(v) for v in region.array)
    if sizes is not None and math.prod(sizes.shape):
        wanted = sizes.numbers()
        policy = attributes.get("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            ratios = [n / x.shape[a] for n, a in zip(wanted, axes, strict=True)]
            ratio = min(ratios) if policy == "not_larger" else max(ratios)
            params["scales"] = (ratio,) * len(axes)
            wanted = tuple(int(ratio * x.shape[a] + 0.5) for a in axes)
        params["sizes"] = wanted
    else:
        params["scales"] = tuple(float(s) for s in scales.array)
    return call("interpolate", x, **params)


def grid_sample(inputs: Inputs, attributes: Attributes) -> Tensor:
    method = attributes.get("mode", "linear").replace("bilinear", "linear")
    method = method.replace("bicubic", "cubic")
    return call("grid_sample", *inputs, method=method,
                outside=attributes.get("padding_mode", "zeros"),
                corners=bool(attributes.get("align_corners", 0)))  # fmt: skip


def top_k(inputs: Inputs, attributes: Attributes) -> Any:
    x, k = inputs
    values, places = call("top_k", x, k=int(k.array.reshape(-1)[0]),
                          axis=attributes.get("axis", -1),
                          largest=bool(attributes.get("largest", 1)))  # fmt: skip
    return values, cast(places, np.int64)


def cumulated(kernel: str, first: int) -> Any:
    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        x, axis = inputs[0], int(inputs[1].array.reshape(-1)[0])
        turned = bool(attributes.get("reverse"))
        x = call("slice", x, steps=-1, axes=axis) if turned else x
        if attributes.get("exclusive"):
            cut = call("slice", x, stops=-1, axes=axis)
            pairs = tuple((1, 0) if k == axis % x.ndim else (0, 0) for k in range(x.ndim))
            x = call("pad", cut, amounts=pairs, value=first)
        made = cast(call(kernel, x, axis=axis), x.kind)
        return call("slice", made, steps=-1, axes=axis) if turned else made

    return run


def einsum(inputs: Inputs, attributes: Attributes) -> Tensor:
    """Products over all labels, added up over those that the result lacks."""
    given, _, wanted = attributes["equation"].replace(" ", "").partition("->")
    terms = given.split(",")
    same_kind(inputs)
    hidden = [x.ndim - len(t.replace("...", "")) for t, x in zip(terms, inputs, strict=True)]
    dots = "ZYXWVUT"[
        : max((n for n, t in zip(hidden, terms, strict=True) if "..." in t), default=0)
    ]
    if "->" not in attributes["equation"]:
        letters = "".join(t.replace("...", "") for t in terms)
        once = sorted(c for c in set(letters) if letters.count(c) == 1)
        wanted = ("..." if dots else "") + "".join(once)
    each = zip(terms, hidden, strict=True)
    terms = [t.replace("...", dots[len(dots) - n :]) for t, n in each]
    wanted = wanted.replace("...", dots)
    labels = wanted + "".join(sorted({c for t in terms for c in t} - set(wanted)))
    total = None
    for term, x in zip(terms, inputs, strict=True):
        if len(set(term)) != len(term):
            raise Refused("Einsum: diagonals")
        order = sorted(range(len(term)), key=lambda k, term=term: labels.index(term[k]))
        lined = call("transpose", x, axes=tuple(order)) if x.ndim > 1 else x
        sizes = dict(zip(term, x.shape, strict=True))
        lined = lined.reshape(*(sizes.get(c, 1) for c in labels))
        total = lined if total is None else call("elementwise_mul", total, lined)
    assert total is not None
    axes = tuple(range(len(wanted), len(labels)))
    return cast(call("reduce_sum", total, axis=axes), inputs[0].kind) if axes else total


def hardmax(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, axis = inputs[0], attributes.get("axis", -1)
    best = call("argmax", x, axis=axis, keepdims=True)
    row = np.arange(x.shape[axis], dtype=np.int32)
    row = row.reshape(tuple(-1 if k == axis % x.ndim else 1 for k in range(x.ndim)))
    return cast(call("equal", Tensor(row), best), x.kind)


def length(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, p, axis = inputs[0], attributes.get("p", 2), attributes.get("axis", -1)
    parts = call("abs", x) if p == 1 else call("elementwise_mul", x, x)
    size = call("reduce_sum", parts, axis=axis, keepdims=True)
    size = size if p == 1 else call("sqrt", size)
    empty = call("equal", size, scalar(x, 0))
    return call("where", empty, scalar(x, 0), call("elementwise_div", x, size))


def local_response(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, size = inputs[0], attributes["size"]
    alpha, beta = attributes.get("alpha", 1e-4), attributes.get("beta", 0.75)
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    flat = x.reshape(x.shape[0], 1, x.shape[1], math.prod(x.shape[2:]))
    squares = call("elementwise_mul", flat, flat)
    means = call("average_pool", squares, window=(size, 1), stride=1, padded=True,
                 padding=(before, 0, after, 0))  # fmt: skip
    inner = call("scalar_add", call("scalar_mul", means, scalar=alpha),
                 scalar=attributes.get("bias", 1.0))  # fmt: skip
    return call("elementwise_div", flat, call("pow", inner, exponent=beta)).reshape(*x.shape)


def likelihood(inputs: Inputs, attributes: Attributes) -> Tensor:
    """NegativeLogLikelihoodLoss: what is said of the right class, with its weight."""
    x, target, weight = (*inputs, None)[:3]
    ignored = attributes.get("ignore_index")
    shape = (target.shape[0], 1, *target.shape[1:])
    chosen = cast(target, np.int32)
    if ignored is not None:
        skipped = call("equal", chosen, scalar(chosen, ignored))
        chosen = call("where", skipped, scalar(chosen, 0), chosen)
    found = call("gather_elements", x, chosen.reshape(*shape), axis=1).reshape(*target.shape)
    parts = Tensor(np.ones((), x.kind)) if weight is None else call("gather", weight, chosen)
    if ignored is not None:
        parts = call("where", skipped, scalar(x, 0), parts)
    loss = call("neg", call("elementwise_mul", found, parts))
    how = attributes.get("reduction", "mean")
    if how == "none":
        return loss
    if how == "mean" and weight is None and ignored is None:
        return call("reduce_mean", loss)
    total = call("reduce_sum", loss)
    return total if how == "sum" else call("elementwise_div", total, call("reduce_sum", parts))


def cross_entropy(inputs: Inputs, attributes: Attributes) -> tuple[Tensor, Tensor]:
    logs = call("log_softmax", inputs[0], axis=1)
    return likelihood([logs, *inputs[1:]], attributes), logs


def squared(x: Tensor) -> Tensor:
    return call("elementwise_mul", x, x)


OPERATORS: dict[str, Any] = {
    "ArgMax": positions("argmax"),
    "ArgMin": positions("argmin"),
    "AveragePool": average_pool,
    "BatchNormalization": batch_norm,
    "Col2Im": col2im,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "CumProd": cumulated("cumprod", 1),
    "CumSum": cumulated("cumsum", 0),
    "Einsum": einsum,
    "Gemm": gemm,
    "GlobalAveragePool": lambda x, a: call("global_average_pool", x[0]),
    "GlobalMaxPool": lambda x, a: call("global_max_pool", x[0]),
    "GridSample": grid_sample,
    "GroupNormalization": lambda x, a: call("group_norm", *x, groups=a["num_groups"],
                                            eps=a.get("epsilon", 1e-5)),
    "Hardmax": hardmax,
    "InstanceNormalization": lambda x, a: call("instance_norm", *x, eps=a.get("epsilon", 1e-5)),
    "LRN": local_response,
    "LayerNormalization": layer_norm,
    "LogSoftmax": lambda x, a: call("log_softmax", x[0], axis=a.get("axis", -1)),
    "LpNormalization": length,
    "LpPool": lp_pool,
    "MatMul": matmul,
    "MaxPool": max_pool,
    "NegativeLogLikelihoodLoss": likelihood,
    "ReduceL1": reduced("reduce_sum", lambda x: call("abs", x)),
    "ReduceL2": reduced("reduce_sum", squared, lambda x: call("sqrt", x)),
    "ReduceLogSum": reduced("reduce_sum", None, lambda x: call("log", x)),
    "ReduceLogSumExp": log_sum_exp,
    "ReduceMax": reduced("reduce_max"),
    "ReduceMean": reduced("reduce_mean"),
    "ReduceMin": reduced("reduce_min"),
    "ReduceProd": reduced("reduce_prod"),
    "ReduceSum": reduced("reduce_sum"),
    "ReduceSumSquare": reduced("reduce_sum", squared),
    "Resize": resize,
    "Softmax": lambda x, a: call("softmax", x[0], axis=a.get("axis", -1)),
    "SoftmaxCrossEntropyLoss": cross_entropy,
    "TopK": top_k,
    "Upsample": lambda x, a: resize([x[0], None, x[1]], {
        "mode": a.get("mode", "nearest"), "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor"}),
}  # fmt: skip
