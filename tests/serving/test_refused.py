"""What a service refuses: one JSON sentence each, and the next request is answered as ever."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing

import pytest

import treadle
from served import Served, ask, photo
from treadle.recipes import parse
from treadle.serving import Refusal, Service, ServiceLimits, photo_work
from treadle.serving.uploads import file_of_form

pytestmark = pytest.mark.usefixtures("no_memory_held")
FORM = "multipart/form-data; boundary=xyz"


def header_only(width: int, height: int) -> bytes:
    """A PNG that says how large it is and has no pixels: to decode it would be another error."""

    def chunk(body):
        return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))

    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(head) + chunk(b"IDAT")


@pytest.mark.parametrize(
    "method, path, body, headers, status, words",
    [
        ("POST", "/image", b"hello, world", {}, 422, "not an image in a known format"),
        ("POST", "/image", b"", {}, 400, "has no body"),
        ("POST", "/image", photo(format="jpeg")[:700], {}, 422, "truncated"),
        ("POST", "/image", photo()[:200], {}, 422, ""),
        ("POST", "/image", b"x" * 300_001, {}, 413, "larger than the limit of 0.3 MB"),
        ("POST", "/image", header_only(201, 200), {}, 413, "more than the limit of 0.04"),
        ("POST", "/image", header_only(60_000, 60_000), {}, 413, "too many"),
        ("POST", "/image", photo(), {"content-type": "text/plain"}, 415, "got 'text/plain'"),
        ("POST", "/image", photo(), {"accept": "text/html"}, 406, "image/webp"),
        ("POST", "/image?format=bmp", photo(), {}, 400, "expected one of jpeg, png, webp, tiff"),
        ("POST", "/image?quality=0", photo(), {}, 400, "quality: expected 1 to 100, got '0'"),
        ("POST", "/image?quality=" + "9" * 5000, photo(), {}, 400, "quality: expected 1 to 100"),
        ("POST", "/image", b"--xyz\r\nabc", {"content-type": FORM}, 400, "the form is cut off"),
        ("POST", "/image", b"--xyz--", {"content-type": FORM}, 400, "the form has no file"),
        ("POST", "/image", b"--x", {"content-type": "multipart/form-data"}, 400, "no boundary"),
        ("GET", "/image", None, {}, 405, "/image takes POST, PUT, not GET"),
        ("POST", "/", b"x", {}, 405, "not POST"),
        ("POST", "/image", photo(), {"content-encoding": "gzip"}, 415, "not packed by 'gzip'"),
        ("GET", "/nothing", None, {}, 404, "try /, /health"),
        ("POST", "/image/", photo(), {"host": "evil.example"}, 404, "there is nothing here"),
        ("GET", "/../../etc/passwd", None, {}, 404, "there is nothing here"),
        ("GET", "/nearest", None, {}, 404, "there is nothing here"),
        ("GET", "/", None, {"host": "rebound.example:8000"}, 403, "Host: expected localhost"),
        ("POST", "/image", photo(), {"host": "rebound.example"}, 403, "Host: expected"),
        ("POST", "/image", photo(), {"origin": "http://evil.example"}, 403, "another site"),
        ("POST", "/image", photo(), {"origin": "null"}, 403, "another site"),
        ("POST", "/image", photo(), {"origin": "http://[broken"}, 403, "another site"),
    ],
    ids=str,
)
def test_one_sentence_and_it_goes_on(served, method, path, body, headers, status, words):
    refused = served.ask(method, path, body, **headers)
    assert refused.status == status
    assert words in refused.error
    assert "--" not in refused.error  # which would be the command line's options
    assert served.ask("POST", "/image", photo()).status == 200


def test_a_page_of_its_own_may_call(served):
    origin = served.address.rstrip("/")
    assert served.ask("POST", "/image", photo(), origin=origin).status == 200


def test_a_connection_is_used_again_after_a_refusal(served):
    with closing(served.connect()) as connection:
        for body, status in ((b"nonsense", 422), (photo(), 200), (b"nonsense", 422)):
            assert ask(connection, "POST", "/image", body).status == status


def test_head_has_no_body(served):
    found = served.ask("HEAD", "/")
    assert (found.status, found.data) == (200, b"")
    assert int(found.headers["content-length"]) > 1000
    assert served.ask("HEAD", "/health").status == 200
    assert served.ask("HEAD", "/image").status == 405


def test_a_client_that_asks_first_is_refused_before_it_sends(served):
    """What curl does with a large file: it sends nothing until it is told to go on."""
    with served.raw() as wire:
        wire.sendall(
            b"POST /image HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n"
            b"Expect: 100-continue\r\n\r\n"
        )
        assert wire.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_body_without_a_length_is_cut_off_at_the_limit(served):
    pieces = (b"x" * 10_000 for _ in range(60))
    assert served.ask("POST", "/image", pieces).status == 413
    assert served.ask("POST", "/image", iter([photo()])).status == 200


def test_a_recipe_that_does_not_fit_says_so():
    recipe = parse('[[stage]]\nkernel = "crop"\nx = 500\ny = 0\nheight = 10\nwidth = 10\n')
    with Served(Service(recipe, device="cpu")) as served:
        refused = served.ask("POST", "/image", photo())
        assert refused.status == 422
        assert "stage 1 does not fit an image of 64x48 RGB u8" in refused.error
        assert served.ask("POST", "/image", photo((20, 20))).status == 422


@pytest.mark.parametrize(
    "error, status, words",
    [
        (MemoryError(), 503, "not enough memory"),
        (treadle.OutOfMemory("the device has no room"), 503, "not enough memory"),
        (treadle.QueueFull("4096 wait"), 503, "too many requests"),
        (treadle.DeviceLost("the device is gone"), 503, "the device is gone"),
        (treadle.CommandFailed("a kernel failed\nat length"), 500, "a kernel failed"),
        (ZeroDivisionError("secret"), 500, "the service failed; its log says more"),
        (Refusal(418, "no coffee"), 418, "no coffee"),
    ],
)
def test_failures_while_computing_are_answers_too(served, monkeypatch, error, status, words):
    def fail(*_):
        raise error

    monkeypatch.setattr(photo_work, "opened", fail)
    refused = served.ask("POST", "/image", photo())
    assert refused.status == status
    assert refused.error.startswith(words)
    monkeypatch.undo()
    assert served.ask("POST", "/image", photo()).status == 200


def test_more_requests_than_allowed_are_told_to_come_again(served, monkeypatch):
    monkeypatch.setattr(served.service, "limits", ServiceLimits(max_requests=1))
    monkeypatch.setattr(served.service, "in_progress", 1)
    refused = served.ask("POST", "/image", photo())
    assert refused.status == 503
    assert refused.headers["retry-after"] == "1"
    assert served.ask("GET", "/health").status == 200


@pytest.mark.parametrize(
    "body, found",
    [
        (b'--b\r\nX: form-data; filename="a"\r\n\r\n\x00\r\n\xff\r\n--b--', b"\x00\r\n\xff"),
        (b"--b\r\nA: b\r\n\r\nfield\r\n--b--", b"field"),
        (b"preamble\r\n--b\r\nA: filename=x\r\n\r\n\r\n--b--\r\nepilogue", b""),
    ],
)
def test_the_file_of_a_form(body, found):
    assert file_of_form(body, b"b") == found


@pytest.mark.parametrize("name", ["max_bytes", "max_pixels", "max_requests", "drain"])
@pytest.mark.parametrize("value", [0, -1, "many", True])
def test_limits_are_numbers_above_zero(name, value):
    with pytest.raises(treadle.LaunchError, match=f"{name}: expected a number above 0"):
        ServiceLimits(**{name: value})


def test_a_service_offers_something():
    with pytest.raises(treadle.LaunchError, match="needs a recipe, a network or an index"):
        Service()
