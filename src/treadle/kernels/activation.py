"""Activations of neural networks, and normalisations along an axis."""

from __future__ import annotations

from treadle.kernels.check import NUMBER
from treadle.lang.decorators import pointwise, rowwise

__all__: list[str] = []


@pointwise(dtype="x", ranges={"slope": NUMBER})
def relu(x, *, slope=0.0):
    """max(x, 0), or slope * x where x is negative (a leaky ReLU for slope > 0); NaN stays NaN."""
    below = slope * x
    if x.dtype == "s32":
        below = s32(below)
    if x.dtype == "s64":
        below = s64(below)
    if x.dtype == "u32":
        below = u32(below)
    return x if x > 0 or x != x else (below if slope != 0 else 0)


@pointwise(results="float")
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


@pointwise(name="tanh", results="float")
def hyperbolic_tangent(x):
    """Hyperbolic tangent."""
    return tanh(x)


@pointwise(results="float")
def gelu(x):
    """x * Phi(x) with the exact normal distribution: 0.5 * x * (1 + erf(x / sqrt(2))); 0 at
    -inf."""
    x = maximum(x, -1e3)  # far beyond where Phi is 0, and 0 times it is not NaN
    return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))


@pointwise(results="float")
def silu(x):
    """x * sigmoid(x), also called swish; 0 at -inf."""
    x = maximum(x, -1e30)  # exp(1e30) is inf, and what is finite over it is 0
    return x / (1.0 + exp(-x))


@pointwise(ranges={"alpha": NUMBER}, results="float")
def elu(x, *, alpha=1.0):
    """x where it is above 0, else alpha * (exp(x) - 1)."""
    return float(x) if x > 0 else alpha * expm1(x)


@pointwise(ranges={"alpha": NUMBER, "gamma": NUMBER}, results="float")
def selu(x, *, alpha=1.6732632423543772, gamma=1.0507009873554805):
    """gamma * elu(x), with which layers keep their mean and variance."""
    return gamma * (x if x > 0 else alpha * expm1(x))


@pointwise(results="float")
def softplus(x):
    """log(1 + exp(x)), without overflow."""
    return maximum(x, 0.0) + log1p(exp(-abs(float(x))))


@pointwise(results="float")
def softsign(x):
    """x / (1 + |x|); 1 and -1 at the infinities."""
    a = abs(float(x))
    return sign(float(x)) if isinf(a) else x / (1.0 + a)


@pointwise(results="float")
def mish(x):
    """x * tanh(log(1 + exp(x))); 0 at -inf."""
    x = maximum(x, -1e3)  # far below where the result is 0, and 0 times it is not NaN
    return x * tanh(maximum(x, 0.0) + log1p(exp(-abs(x))))


@pointwise(ranges={"alpha": NUMBER, "beta": NUMBER}, results="float")
def hard_sigmoid(x, *, alpha=0.2, beta=0.5):
    """alpha * x + beta, held between 0 and 1."""
    return clamp(alpha * x + beta, 0.0, 1.0)


@pointwise(results="float")
def hard_swish(x):
    """x * clamp(x / 6 + 1 / 2, 0, 1); 0 at -inf."""
    x = maximum(x, -1e3)
    return x * clamp(x / 6.0 + 0.5, 0.0, 1.0)


@rowwise(gives="that of row", results="float")
def softmax(row):
    """exp(x) / sum(exp(x)) along axis (default: the last), shifted so that it cannot overflow."""
    e = exp(row - max(row))
    return e / sum(e)


@rowwise(gives="that of row", results="float")
def log_softmax(row):
    """log(softmax(x)) along axis (default: the last), exact where softmax is next to 0."""
    shifted = row - max(row)
    return shifted - log(sum(exp(shifted)))


@rowwise(ranges={"eps": (0.0, None)}, gives="that of row", results="float")
def layer_norm(row, scale=None, bias=None, *, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) along axis (default: the last), times scale, plus bias.

    The variance is the population's. scale and bias have one value for each position of the row."""
    centred = row - mean(row)
    result = centred / sqrt(mean(centred * centred) + eps)
    if scale is not None:
        result = result * scale
    if bias is not None:
        result = result + bias
    return result
