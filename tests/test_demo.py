"""The demonstration from its command line to its files, with small pictures."""

from __future__ import annotations

import asyncio
import io

import numpy as np
import pytest
from PIL import Image

import weft
from weft import demo, pictures

SMALL = ["--images", "6", "--size", "48x32", "--quiet"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_every_picture_comes_out_as_the_kernels_make_it(tmp_path, capsys):
    assert demo.main([*SMALL, "--out", str(tmp_path)]) == 0
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"image-{index:03d}.png" for index in range(6)]
    for index, file in enumerate(files):
        picture = weft.buffer(pictures.landscape(48, 32, seed=index))
        blurred = weft.run_kernel("gaussian_blur", [picture], radius=3, sigma=1.5)
        grey = weft.run_kernel("grayscale", [weft.run_kernel("sharpen", [blurred], amount=0.5)])
        with Image.open(file) as image:
            np.testing.assert_array_equal(np.asarray(image), grey.to_numpy())
    out = capsys.readouterr()
    for word in ("device", "6 of 48x32", "images/s", "computing", "encoding", str(tmp_path)):
        assert word in out.out
    assert out.err == ""


def test_the_record_adds_up(tmp_path):
    record = demo.Record()
    asyncio.run(demo.run(demo.parse([*SMALL, "--out", str(tmp_path)]), record))
    assert record.written == 6
    assert record.nbytes == sum(file.stat().st_size for file in tmp_path.iterdir())
    assert {kind: len(spans) for kind, spans in record.spans.items()} == {
        "paint": 6,
        "compute": 6,
        "encode": 6,
    }
    assert record.started < record.first < record.ended


def test_the_device_can_be_chosen(tmp_path, capsys):
    arguments = [*SMALL, "--images", "1", "--out", str(tmp_path), "--device", "reference"]
    assert demo.main(arguments) == 0
    assert "reference" in capsys.readouterr().out


def test_an_unknown_device_is_a_sentence(tmp_path, capsys):
    assert demo.main([*SMALL, "--out", str(tmp_path), "--device", "abacus"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("weft.demo: ")
    assert "abacus" in message


def test_an_unusable_folder_is_a_sentence(tmp_path, capsys):
    (tmp_path / "taken").write_text("a file")
    assert demo.main([*SMALL, "--out", str(tmp_path / "taken")]) == 1
    assert "taken" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--images", "0"], "from 1 to"),
        (["--images", "two"], "'two'"),
        (["--size", "640"], "WIDTHxHEIGHT"),
        (["--size", "0x480"], "from 1 to 16384"),
    ],
)
def test_wrong_options(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        demo.parse(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_an_interrupt_ends_with_a_sentence(tmp_path, capsys, monkeypatch):
    async def interrupted(index, options, record, pool):
        if index == 4:
            raise KeyboardInterrupt
        record.written += 1
        await asyncio.sleep(0)

    monkeypatch.setattr(demo, "_one_image", interrupted)
    assert demo.main([*SMALL, "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().out == f"Stopped: 4 of 6 images are in {tmp_path}.\n"


def test_a_failure_stops_the_run_and_is_told(tmp_path, capsys, monkeypatch):
    def full(path, image, *, level):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(demo.png, "write", full)
    assert demo.main([*SMALL, "--out", str(tmp_path)]) == 1
    assert "No space left on device" in capsys.readouterr().err


def test_progress_on_a_terminal_redraws_one_line():
    stream = Terminal()
    progress = demo.Progress(4, stream, quiet=False)
    for done in range(5):
        progress.show(done)
    progress.close()
    first, *_, last = stream.getvalue().removesuffix("\n").split("\r")[1:]
    assert "0/4" in first
    assert "=" not in first
    assert "4/4" in last
    assert " " not in last[1 : last.index("]")]


def test_progress_elsewhere_is_at_most_ten_lines():
    stream = io.StringIO()
    progress = demo.Progress(200, stream, quiet=False)
    for done in range(201):
        progress.show(done)
    progress.close()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "20/200 images"
    assert lines[-1] == "200/200 images"
    assert len(lines) == 10


def test_busy_counts_overlaps_once():
    record = demo.Record(spans={"work": [(4.0, 5.0), (0.0, 2.0), (1.0, 3.0), (1.5, 1.6)]})
    assert record.busy("work") == pytest.approx(4.0)
    assert record.busy("play") == 0
