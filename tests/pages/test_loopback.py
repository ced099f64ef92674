"""Pages on loopback: who sees them, who does not, and that nothing is left of them."""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import threading

import pytest

import treadle
from treadle.pages import LoopbackPage
from treadle.pages.socket import Socket, accept_key

TEXT = "<html><style>p{}</style><script>1</script></html>"


def ask(page, path="/", token=None, **headers):
    place = page.address.split("/")[2]
    connection = http.client.HTTPConnection(place, timeout=30)
    given = page.token if token is None else token
    connection.request("GET", f"{path}?token={given}", headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body.decode()


@pytest.fixture
def page():
    with LoopbackPage(TEXT, data=lambda query: {"n": 7, **query}, talk=echo) as found:
        yield found


def echo(connection):
    while (text := connection.receive()) is not None:
        connection.send(text)
        connection.send(text.encode() * 70_000)


def test_the_page_and_its_data_are_for_those_with_the_token(page):
    answer, body = ask(page)
    assert (answer.status, body) == (200, TEXT)
    assert "script-src 'sha256-" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    answer, body = ask(page, "/data")
    assert json.loads(body) == {"n": 7, "token": page.token}
    assert ask(page, "/else")[0].status == 404


@pytest.mark.parametrize("path", ["/", "/data", "/socket"])
def test_others_are_refused(page, path):
    for token in ("", "x", page.token[:-1]):
        answer, said = ask(page, path, token)
        assert answer.status == 403
        assert "token" in said
        assert page.token not in said
    place = page.address.split("/")[2]
    for headers in ({"Host": "evil.example"}, {"Host": place, "Origin": "http://evil.example"}):
        assert ask(page, path, **headers)[0].status == 403
    assert ask(page, path, Host=place, Origin=f"http://{place}")[0].status in (200, 400)


@pytest.mark.parametrize("headers", [{"Host": "["}, {"Host": "127.0.0.1", "Origin": "http://["}])
def test_a_host_or_an_origin_that_is_none_is_answered(page, headers):
    answer, said = ask(page, **headers)
    assert answer.status == 400
    assert page.token not in said


def opened(page, **headers):
    """A connection whose request asked for a WebSocket, and the head of the answer."""
    place = page.address.split("/")[2]
    connection = socket.create_connection(tuple(place.split(":")), timeout=30)
    key = base64.b64encode(os.urandom(16)).decode()
    given = {
        "Host": place, "Origin": f"http://{place}", "Upgrade": "websocket",
        "Connection": "Upgrade", "Sec-WebSocket-Key": key, **headers,
    }  # fmt: skip
    lines = [f"GET /socket?token={page.token} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    file = connection.makefile("rb")
    head = b"".join(iter(file.readline, b"\r\n")).decode()
    return connection, file, head, key


def framed(text, kind=1, masked=True):
    data, mask = text.encode(), os.urandom(4)
    if not masked:
        return bytes([128 | kind, len(data)]) + data
    return (
        bytes([128 | kind, 128 | len(data)])
        + mask
        + bytes(byte ^ mask[k & 3] for k, byte in enumerate(data))
    )


def test_messages_of_any_length_go_both_ways(page):
    connection, file, head, key = opened(page)
    assert head.startswith("HTTP/1.1 101")
    assert accept_key(key) in head
    connection.sendall(framed("ping", kind=9) + framed("hé"))
    assert file.read(6) == bytes([138, 4]) + b"ping"
    assert file.read(5) == bytes([129, 3]) + "hé".encode()
    assert file.read(10) == bytes([130, 127]) + (210_000).to_bytes(8, "big")
    assert file.read(210_000) == "hé".encode() * 70_000
    connection.close()


@pytest.mark.parametrize(
    "sent",
    [framed("x", masked=False), b"\x81\xff" + b"\xff" * 8, framed("", kind=8), b"\x01"],
    ids=["unmasked", "endless", "goodbye", "torn"],  # of its own: a mask is another in each process
)
def test_what_is_no_message_ends_the_connection(page, sent):
    connection, file, _, _ = opened(page)
    connection.sendall(sent)
    connection.shutdown(socket.SHUT_WR)
    assert file.read()[:1] in (b"\x88", b"")
    connection.close()
    assert not [each for each in page.sockets if not each.closed]


def test_an_ended_page_leaves_no_thread_and_no_connection():
    before = {each for each in threading.enumerate() if each.name.startswith("treadle-page")}
    page = LoopbackPage(TEXT, talk=echo)
    connection, file, _, _ = opened(page)
    page.close()
    file.read()  # ends
    connection.close()
    now = {each for each in threading.enumerate() if each.name.startswith("treadle-page")}
    assert now == before
    with pytest.raises(OSError, match=r"refused|reset"):
        opened(page)


def test_a_port_that_is_taken_is_one_clear_error(page):
    port = int(page.address.split(":")[2].split("/")[0])
    with pytest.raises(treadle.LaunchError, match=f"port: {port} cannot be had"):
        LoopbackPage(TEXT, port=port)
    with pytest.raises(treadle.LaunchError, match="port: 99999 cannot"):
        LoopbackPage(TEXT, port=99999)
    with pytest.raises(treadle.LaunchError, match="port: 'x' cannot be had"):
        LoopbackPage(TEXT, port="x")


def test_a_page_that_takes_nothing_more_does_not_hold_up_the_end():
    """One that a debugger has stopped, say: its connection is full, and a thread of ours sends."""
    here, there = socket.socketpair()
    found = Socket(here, here.makefile("rb"))
    sending = threading.Thread(target=found.send, args=(bytes(1 << 24),))
    sending.start()
    assert there.recv(100)  # it is under way, and will stay there
    found.close()
    sending.join()
    assert found.closed
    here.close()
    there.close()
