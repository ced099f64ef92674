"""What a service counts, in the text that Prometheus reads.

In: requests as they end, and figures that are read when they are asked for. Out: text in version
0.0.4 of the exposition format. Every label is one of a few words, so that no client can make it
grow. For the thread of the event loop.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Seconds: from an answer without work to a photo of a hundred megapixels.
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

Labels = tuple[tuple[str, str], ...]
Sample = tuple[Mapping[str, str], float]


class _Histogram:
    """How often something took how long."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect.bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds


class Metrics:
    """Counters and times by name and labels, and figures that are looked up when asked for."""

    def __init__(self) -> None:
        self._about: dict[str, tuple[str, str]] = {}  # kind and meaning, by name
        self._counters: dict[str, dict[Labels, float]] = {}
        self._times: dict[str, dict[Labels, _Histogram]] = {}
        self._figures: dict[str, Callable[[], Iterable[Sample]]] = {}

    def counter(self, name: str, meaning: str) -> None:
        """Declare a number that grows."""
        self._about[name] = "counter", meaning
        self._counters[name] = {}

    def times(self, name: str, meaning: str) -> None:
        """Declare a distribution of seconds."""
        self._about[name] = "histogram", meaning
        self._times[name] = {}

    def figure(
        self,
        name: str,
        meaning: str,
        read: Callable[[], Iterable[Sample]],
        *,
        grows: bool = False,
    ) -> None:
        """Declare a number, by labels, that `read` gives when it is asked for."""
        self._about[name] = "counter" if grows else "gauge", meaning
        self._figures[name] = read

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        counts = self._counters[name]
        key = tuple(labels.items())
        counts[key] = counts.get(key, 0) + amount

    def took(self, name: str, seconds: float, **labels: str) -> None:
        """Add to a distribution."""
        times = self._times[name]
        key = tuple(labels.items())
        found = times.get(key)
        if found is None:
            found = times[key] = _Histogram()
        found.add(seconds)

    def text(self) -> str:
        """Return everything as Prometheus reads it."""
        lines = []
        for name, (kind, meaning) in self._about.items():
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            if name in self._counters:
                for labels, value in self._counters[name].items():
                    lines.append(_line(name, dict(labels), value))
            elif name in self._times:
                for labels, times in self._times[name].items():
                    lines += _histogram(name, dict(labels), times)
            else:
                lines += [_line(name, labels, value) for labels, value in self._figures[name]()]
        return "\n".join(lines) + "\n"


def _histogram(name: str, labels: Mapping[str, str], times: _Histogram) -> list[str]:
    lines = []
    below = 0
    for bound, count in zip((*_BOUNDS, "+Inf"), times.counts, strict=True):
        below += count
        lines.append(_line(f"{name}_bucket", {**labels, "le": str(bound)}, below))
    lines.append(_line(f"{name}_sum", labels, times.total))
    lines.append(_line(f"{name}_count", labels, below))
    return lines


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    number = repr(float(value)) if isinstance(value, float) else str(value)
    return f"{name}{{{inner}}} {number}" if inner else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
