"""Traces: what is recorded, what Perfetto reads, what is drawn."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import treadle
from runtime.shared import ready_device, times, vector
from treadle.runtime import observe
from treadle.timeline import Timeline
from treadle.trace import lanes_of


@pytest.fixture(params=[True, False], ids=["signals", "polled"])
def device(request):
    device, backend = ready_device(signals=request.param)
    yield device, backend
    device.close()


def test_a_command_is_recorded_from_submit_to_end(device):
    device, backend = device
    a = vector(device, 1, 2)
    with treadle.trace() as trace:
        first = device.submit(times, [a])
        second = device.submit(times, [first.output])  # waits for the first
        assert len(trace) == 0
        backend.complete()
        backend.expect(1)
        backend.complete()
        second.wait()
    one, two = (r for r in trace.records if r.kind == "command")
    assert (one.number, two.number) == (first.id, second.id)
    assert (one.label, one.device, one.status, one.steps) == ("times", "manual", "completed", 1)
    assert one.nbytes == 16  # two floats in, two out
    assert one.submit <= one.launch <= one.end
    assert (one.start, one.stop) == (0, 1000)  # the device's own clock
    assert (two.start, two.stop) == (1000, 2000)
    assert second.times == (1000, 2000)
    assert two.submit <= one.end <= two.launch


def test_what_ends_at_once_is_recorded_too():
    for name in ("cpu", "reference"):
        device = treadle.device(name)
        a = vector(device, 1, 2)
        device.run_kernel("relu", [a])
        with treadle.trace() as trace:
            command = device.submit("relu", [a])
            command.wait()
            device.run_kernel("relu", [device.buffer_zeros(1 << 20)])
        small, large = (r for r in trace.records if r.kind == "command")
        assert small.submit <= small.launch <= small.start <= small.stop <= small.end
        assert large.launch <= large.start < large.stop <= large.end
        assert command.times == (small.start, small.stop)
        writes = [r for r in trace.records if r.kind == "host"]
        assert [(r.label, r.nbytes) for r in writes] == [("write", 4 << 20)]
        assert not device.backend.timing


def test_failures_and_cancelled_commands_are_recorded(device):
    device, backend = device
    a = vector(device, 1, 2)
    with treadle.trace() as trace:
        bad = device.submit(times, [a])
        after = device.submit(times, [bad.output])
        lonely = device.submit(times, [a])
        waits = device.submit(times, [lonely.output])
        assert waits.cancel()
        backend.fail(1)
        backend.complete()
        lonely.wait()
        assert after.error is not None
    found = {r.number: r.status for r in trace.records}
    assert found == {
        bad.id: "failed",
        after.id: "failed",
        lonely.id: "completed",
        waits.id: "cancelled",
    }


def test_one_trace_at_a_time_and_nothing_when_off(device):
    device, backend = device
    a = vector(device, 1, 2)
    before = device.submit(times, [a])  # submitted before the trace: not in it
    with treadle.trace() as trace:
        with pytest.raises(treadle.LaunchError, match="one can be on at a time"):
            treadle.trace().start()
        assert device.backend.timing
        backend.complete()
        before.wait()
    assert observe.active is None
    assert not device.backend.timing
    after = device.submit(times, [a])
    backend.expect(1)
    backend.complete()
    after.wait()
    assert trace.records == []
    assert after.times is None
    with pytest.raises(treadle.LaunchError, match="records once"):
        trace.start()
    assert "0 records" in repr(trace)


def test_a_device_opened_during_a_trace_is_in_it():
    with treadle.trace() as trace:
        device, _ = ready_device(inline=True)
        device.submit(times, [vector(device, 1, 2)]).wait()
    assert trace.records
    device.close()


def batches(count):
    return [np.full(3, n, np.float32) for n in range(count)]


@pytest.fixture
def traced(tmp_path):
    device, _ = ready_device(inline=True, shared=False)
    path = tmp_path / "run.json"
    with treadle.trace(path) as trace:
        options = {"prepare": np.copy, "compute": times, "collect": np.sum, "device": device}
        assert list(treadle.stream(batches(4), **options)) == [0.0, 6.0, 12.0, 18.0]
    device.close()
    return trace, json.loads(path.read_text(encoding="utf-8"))


def test_the_phases_of_a_stream_are_recorded(traced):
    trace, _ = traced
    phases = [(r.label, r.batch) for r in trace.records if r.kind == "phase"]
    for phase in ("source", "prepare", "collect"):
        assert [b for label, b in phases if label == phase] == [0, 1, 2, 3]
    commands = {(r.kind, r.label, r.batch) for r in trace.records if r.kind != "phase"}
    assert {("transfer", "upload", n) for n in range(4)} <= commands
    assert {("command", "times", n) for n in range(4)} <= commands
    assert {("transfer", "download", n) for n in range(4)} <= commands


def test_the_file_is_what_perfetto_reads(traced):
    _, data = traced
    events = data["traceEvents"]
    names = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    complete = [e for e in events if e["ph"] == "X"]
    assert len(complete) >= 24
    ends: dict = {}
    for event in complete:
        assert (event["pid"], event["tid"]) in names
        assert event["pid"] in processes
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        # In one lane nothing overlaps, or viewers would nest it.
        assert event["ts"] >= ends.get((event["pid"], event["tid"]), 0) - 1e-6
        ends[event["pid"], event["tid"]] = event["ts"] + event["dur"]


def bound_arrows(events, to_ns):
    """The arrows that Perfetto draws, as pairs of the boxes that they lead from and to.

    Its rules, as its trace processor has them: events are taken in order of time, those of one time
    in the order of the file. A box is open from its event to its end. An arrow's end belongs to the
    box that was opened last in its row and is open; where none is, or where two arrows have one id,
    the arrow is dropped. So is a box that another one overlaps without holding it."""
    rows: dict = {}
    begun, arrows = {}, []
    for event in sorted((e for e in events if e["ph"] in "Xsf"), key=lambda e: to_ns(e["ts"])):
        row, now = rows.setdefault((event["pid"], event["tid"]), []), to_ns(event["ts"])
        if event["ph"] == "X":
            end = now + to_ns(event["dur"])
            while row and row[-1][0] <= now:
                row.pop()
            assert not row, "an overlapping box is dropped, or nested"
            row.append((end, event))
            continue
        assert row, "flow_no_enclosing_slice"
        assert row[-1][0] >= now, "flow_no_enclosing_slice"
        key = event["cat"], event["name"], event["id"]
        if event["ph"] == "s":
            assert key not in begun, "flow_duplicate_id"
            begun[key] = row[-1][1]
        else:
            assert event["bp"] == "e", "it would lead to the next box"
            arrows.append((begun.pop(key), row[-1][1]))
    assert not begun, "an arrow that leads nowhere"
    return arrows


@pytest.mark.parametrize("to_ns", [lambda us: int(us * 1e3), lambda us: round(us * 1e3)])
@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_every_command_has_an_arrow_from_its_submit(name, to_ns):
    device = treadle.device(name)
    values = device.buffer(np.arange(1 << 16, dtype=np.float32))
    with treadle.trace() as trace, treadle.use_device(device):
        commands = [device.submit("sqrt", [values]) for _ in range(20)]
        commands += [device.upload(values, np.zeros(1 << 16, np.float32)), device.download(values)]
        pipeline = treadle.pipeline().add("relu", values, commands[0].output)
        commands += [pipeline.submit(), device.barrier()]
        treadle.wait_all(commands)
        list(treadle.stream(batches(8), prepare=np.copy, compute="relu", collect=np.sum))
    events = trace.to_dict()["traceEvents"]
    later = {r.number: r for r in trace.records if r.kind in ("command", "transfer")}
    expected = {number for number, r in later.items() if r.submit < r.start}
    assert {command.id for command in commands} <= set(later)
    assert len(expected) >= 24
    arrows = bound_arrows(events, to_ns)
    assert len(arrows) == len(expected)
    for source, target in arrows:
        number = target["args"]["command"]
        assert source["args"]["command"] == number
        assert source["cat"] == "submit"
        assert target["cat"] == later[number].kind
        assert source["ts"] < target["ts"]
        assert source["ts"] == target["args"]["submit_us"]
        expected.discard(number)
    assert not expected


def test_arrows_never_lead_back_and_times_are_never_negative(device):
    """A device's clock may be ahead or behind by a little."""
    device, backend = device
    a = vector(device, 1, 2)
    with treadle.trace() as trace:
        command = device.submit(times, [a])
        backend.complete()  # which says that it started at 0, long before the submit
        command.wait()
    events = trace.to_dict()["traceEvents"]
    assert bound_arrows(events, round) == []
    assert min(e["ts"] for e in events if "ts" in e) == 0


def test_a_timeline_in_three_formats(traced, tmp_path):
    trace, _ = traced
    drawn = trace.timeline(tmp_path / "run.svg")
    root = ET.fromstring((tmp_path / "run.svg").read_text(encoding="utf-8"))
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert {"prepare", "collect", "device manual"} <= set(texts)
    assert len([each for each in root.iter() if each.tag.endswith("rect")]) > 24
    page = trace.timeline(tmp_path / "run.html").to_html()
    assert page.startswith("<!doctype html>")
    assert "<svg" in trace._repr_html_()
    trace.timeline(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert re.match(r"<treadle timeline of \d+ lanes", repr(drawn))
    with pytest.raises(treadle.LaunchError, match=r"ends in \.svg"):
        trace.timeline(tmp_path / "run.pdf")


def luminance(colour):
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in np.asarray(colour, float) / 255
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    """How far two colours are apart, as the guidelines for accessible pages count: from 1 to 21."""
    dim, bright = sorted((luminance(a), luminance(b)))
    return (bright + 0.05) / (dim + 0.05)


def rgb(text):
    return tuple(bytes.fromhex(text.removeprefix("#")))


def test_a_timeline_can_be_read_in_light_and_dark(traced):
    trace, _ = traced
    for theme, ground in (("light", 1.0), ("dark", 0.0)):
        drawn = trace.timeline(theme=theme)
        svg = ET.fromstring(drawn.to_svg())
        assert "@media" not in drawn.to_svg()  # it is one of the two, whatever the system asks for
        paper = next(each for each in svg.iter() if each.tag.endswith("rect"))
        back = rgb(paper.get("fill"))
        assert abs(luminance(back) - ground) < 0.05
        assert Image.open(io.BytesIO(drawn.to_png())).getpixel((0, 0)) == back
        outside = [each for each in svg if each.tag.endswith("text")]
        assert len(outside) >= 8
        assert min(contrast(rgb(each.get("fill")), back) for each in outside) >= 4.5
        boxes = [g for g in svg if g.tag.endswith("}g")]
        assert len(boxes) >= 24
        for box in boxes:
            painted = box.find("{*}rect").get("fill").strip("rgb()").split(",")
            assert contrast([int(part) for part in painted], rgb("#1a1a1a")) >= 4.5
            assert contrast([int(part) for part in painted], back) >= 1.3


def test_a_timeline_follows_the_system_unless_it_is_told(traced):
    trace, _ = traced
    auto = trace.timeline().to_svg()
    light, dark = (trace.timeline(theme=theme).to_svg() for theme in ("light", "dark"))
    # Without the rules for a dark system and the names they need, it is the light one.
    plain = re.sub(r"<style>.*?</style>\n| class='treadle-timeline'|class='\w+' ", "", auto)
    assert plain == light
    (rules,) = re.findall(r"<style>@media \(prefers-color-scheme:dark\)\{(.*)\}</style>", auto)
    for part, what, colour in re.findall(r"\.treadle-timeline \.(\w+)\{(\w+):(#\w+)\}", rules):
        assert f"class='{part}' {what}='" in auto
        assert f"{what}='{colour}'" in dark
    assert rules.count(".treadle-timeline") == len(set(re.findall(r"class='(\w+)' ", auto)))
    assert "color-scheme:light dark" in trace.timeline().to_html()
    assert "color-scheme:dark" in trace.timeline(theme="dark").to_html()
    assert trace.timeline().to_png() == trace.timeline(theme="light").to_png()
    with pytest.raises(treadle.LaunchError, match="light, dark or auto, got 'sepia'"):
        trace.timeline(theme="sepia")


def test_an_empty_timeline_can_be_drawn():
    empty = Timeline(lanes_of([]))
    assert empty.to_svg().startswith("<svg")
    assert empty.to_png().startswith(b"\x89PNG")


def span(start, stop, label="k"):
    return SimpleNamespace(
        kind="command", label=label, device="d", start=start, stop=stop, batch=-1, nbytes=0
    )


def test_what_overlaps_goes_into_lanes_of_its_own():
    lanes = lanes_of([span(0, 10), span(5, 15), span(10, 20), span(15, 25)])
    assert [(name, [(r.start, r.stop) for r in lane]) for _, name, lane in lanes] == [
        ("compute 0", [(0, 10), (10, 20)]),
        ("compute 1", [(5, 15), (15, 25)]),
    ]
