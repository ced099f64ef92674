"""Reports and autotuning: figures in, verdicts and depths out; no clock is asked."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from treadle.streaming.report import StreamProgress, report_of
from treadle.streaming.stats import LANES, LaneTime, Quantiles
from treadle.streaming.tuning import LIMIT, Tuner


def figures(seconds=1.0, **busy):
    latency = Quantiles()
    for value in range(1, 101):
        latency.add(value * 1_000_000)
    spent = {name: int(busy.get(name, 0.0) * 1e9) for name in LANES}
    return SimpleNamespace(
        busy=lambda: spent,
        started=5_000,
        stopped=5_000 + int(seconds * 1e9),
        latency=latency,
        taken=102,
        failed=2,
        expired=1,
        late=3,
        bytes_in=10,
        bytes_out=20,
    )


@pytest.mark.parametrize(
    "busy, verdict, bound, says",
    [
        ({"device": 0.99, "prepare": 0.2}, "device-bound", "device", "fuse kernels"),
        ({"device": 0.3, "prepare": 0.97}, "CPU-bound", "prepare", "raise workers"),
        ({"device": 0.3, "collect": 0.97}, "CPU-bound", "collect", "raise workers"),
        ({"consumer": 0.97}, "CPU-bound", "consumer", "move its work into"),
        ({"source": 0.97}, "CPU-bound", "source", "read ahead"),
        ({"upload": 0.95, "device": 0.5}, "transfer-bound", "upload", "host_array"),
        ({"download": 0.95, "device": 0.5}, "transfer-bound", "download", "reduce"),
        ({"device": 0.96, "prepare": 0.92}, "balanced", "device", "Two parts"),
        ({"device": 0.5, "prepare": 0.2}, "device-bound", "device", "raise max_in_flight above 3"),
        ({}, "empty", "source", "Nothing came through"),
    ],
)
def test_verdict_and_advice(busy, verdict, bound, says):
    report = report_of(figures(**busy), depth=3, dropped=4)
    assert (report.verdict, report.bound) == (verdict, bound)
    assert says in report.advice
    assert report.efficiency == pytest.approx(max(busy.values(), default=0.0), abs=1e-6)
    assert verdict in str(report)


def test_what_was_compiled_during_a_run_is_in_its_report():
    run = figures(2.0, device=1.9)
    compiled = [
        (0, 4_000, "before"),
        (0, 5_000 + 10**7, "blur"),
        (5_000 + 10**8, 5_000 + 12 * 10**7, "blur"),
        (run.stopped, run.stopped + 1, "after"),
    ]
    report = report_of(run, depth=3, dropped=0, compiled=compiled)
    assert report.compiled == ("blur",)
    assert report.compiling == pytest.approx(0.03)
    assert "compile   30 ms: blur" in str(report)
    assert not report_of(run, depth=3, dropped=0).compiled


def test_the_figures_of_a_report():
    report = report_of(figures(2.0, device=1.9, prepare=1.0), depth=3, dropped=4)
    assert (report.batches, report.failed, report.dropped, report.late) == (100, 1, 5, 3)
    assert report.throughput == pytest.approx(50.0)
    assert report.latency_p50 == pytest.approx(0.050, rel=0.02)
    assert report.latency_p99 == pytest.approx(0.099, rel=0.02)
    assert report.busy("device") == pytest.approx(0.95)
    assert report.busy("transfer") == 0.0
    assert report.speedup == pytest.approx(1.45)
    (device,) = (lane for lane in report.lanes if lane.name == "device")
    assert device.idle == pytest.approx(0.05)
    assert json.loads(report.to_json())["lanes"][3]["name"] == "device"
    assert "<table>" in report._repr_html_()
    assert "1 failed, 5 dropped, 3 late" in str(report)


def test_busy_time_is_a_union():
    lane = LaneTime()
    for start, stop in ((0, 10), (5, 15), (20, 30), (22, 25)):
        lane.add(start, stop)
    assert lane.busy == 25


def climb(seconds, *, max_bytes=None, nbytes=1, share=lambda depth: 0.5):
    """The depths that a tuner goes through when a batch takes seconds(depth)."""
    tuner, depth, path = Tuner(max_bytes), 2, [2]
    for _ in range(20):
        depth = tuner.decide(seconds(depth), share(depth), depth, nbytes)
        path.append(depth)
    return path


def test_the_tuner_stops_where_more_gains_nothing():
    # Faster until four are under way, and no faster after that.
    path = climb(lambda depth: 8.0 / min(depth, 4))
    assert max(path) == 5
    assert path[-1] == 4


def test_the_tuner_stops_where_the_bottleneck_is_saturated():
    path = climb(lambda depth: 8.0 / depth, share=lambda depth: 0.98 if depth >= 3 else 0.6)
    assert path[-1] == max(path) == 3


def test_the_tuner_keeps_to_its_budget_and_its_limit():
    assert max(climb(lambda depth: 8.0 / depth, max_bytes=50, nbytes=10)) == 5
    assert max(climb(lambda depth: 8.0 / depth)) == LIMIT


def test_the_progress_line():
    out = io.StringIO()
    progress = StreamProgress(None, 200, out)
    stream = SimpleNamespace(report=report_of(figures(device=0.9), depth=3, dropped=0))
    progress.show(stream)
    progress.show(stream)  # a moment later: not shown again
    progress.end(stream)
    progress.end(stream)
    assert out.getvalue().count("100/200 batches") == 2
    assert out.getvalue().endswith("\n")
