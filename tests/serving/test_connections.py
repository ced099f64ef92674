"""Clients as they are: slow, gone, many at once; and the end of a service, which loses none."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from types import SimpleNamespace

import pytest

import treadle
from served import LIMIT, Served, ask, decoded, photo
from treadle.recipes import parse
from treadle.serving import Service, ServiceLimits, photo_work
from treadle.serving.stalled import StalledConnections

MIRROR = '[[stage]]\nkernel = "flip"\n'


class Gate:
    """Holds every photo back until it is opened."""

    def __init__(self, monkeypatch):
        self.reached, self.let = threading.Event(), threading.Event()
        self.count = 0
        real = photo_work.opened

        def held(data, limits, size=None):
            self.count += 1
            self.reached.set()
            assert self.let.wait(LIMIT)
            return real(data, limits, size)

        monkeypatch.setattr(photo_work, "opened", held)


@pytest.fixture
def gate(monkeypatch):
    made = Gate(monkeypatch)
    yield made
    made.let.set()


def service(**limits):
    return Service(parse(MIRROR), device="cpu", limits=ServiceLimits(**limits))


def upload(data: bytes, *, declared: int | None = None) -> bytes:
    size = len(data) if declared is None else declared
    return b"POST /image HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size + data


def test_128_connections_at_once():
    photos = [photo(seed=n) for n in range(4)]
    with Served(service()) as served, ThreadPoolExecutor(128) as pool:
        together = threading.Barrier(128)

        def client(number):
            with closing(served.connect()) as connection:
                connection.connect()
                together.wait(LIMIT)
                return [ask(connection, "POST", "/image", photos[number % 4]) for _ in range(2)]

        for number, answers in enumerate(pool.map(client, range(128))):
            expected = decoded(photos[number % 4])[:, ::-1]
            assert all((answer.pixels == expected).all() for answer in answers)
        assert served.metric("treadle_requests_total", endpoint="image", status="200") == 256
        served.until("treadle_held_bytes", 0)


def test_the_loop_answers_while_photos_are_decoded(gate):
    with Served(service()) as served, served.raw() as wire:
        wire.sendall(upload(photo()))
        assert gate.reached.wait(LIMIT)
        assert served.ask("GET", "/health").status == 200
        assert served.metric("treadle_requests_in_progress") == 1
        gate.let.set()
        assert wire.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_goes_away_costs_no_more_work(gate):
    with Served(service()) as served:
        with served.raw() as wire:
            wire.sendall(upload(photo()))
            assert gate.reached.wait(LIMIT)
        served.until("treadle_requests_total", 1, endpoint="image", status="499")
        served.until("treadle_held_bytes", 0)
        gate.let.set()
        assert served.ask("POST", "/image", photo()).status == 200
        assert served.metric("treadle_batch_items_total", endpoint="image") == 1


def test_a_client_that_goes_away_in_the_middle_of_its_upload():
    with Served(service()) as served:
        with served.raw() as wire:
            wire.sendall(upload(photo(), declared=100_000))
            served.until("treadle_held_bytes", 100_000)
        served.until("treadle_requests_total", 1, endpoint="image", status="499")
        served.until("treadle_held_bytes", 0)


def test_a_slow_client_is_told_so_and_let_go():
    with Served(service(patience=0.3)) as served, served.raw() as wire:
        wire.sendall(upload(b"x" * 100, declared=1000))
        answer = b"".join(iter(lambda: wire.recv(1 << 16), b""))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"came too slowly: 100 bytes in" in answer
        served.until("treadle_held_bytes", 0)


@pytest.mark.parametrize(
    "begun", [b"", b"POST /image HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n"]
)
def test_a_request_that_does_not_come_is_not_waited_for(begun):
    with Served(service(patience=0.3)) as served, served.raw() as wire:
        wire.sendall(begun)
        assert wire.recv(100) == b""


def test_headers_without_end_are_not_kept():
    with Served(service()) as served, served.raw() as wire:
        said = b""
        with suppress(ConnectionError):  # what it sends on after the answer resets the connection
            wire.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000)
            said = wire.recv(100)
        assert said.startswith(b"HTTP/1.1 400 ") or not said
        assert served.ask("GET", "/health").status == 200


def test_a_second_request_that_does_not_come_is_not_waited_for_either():
    with Served(service(patience=0.3)) as served, served.raw() as wire:
        wire.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert wire.recv(1000).startswith(b"HTTP/1.1 200 ")
        wire.sendall(b"GET ")  # uvicorn ends its own waiting with a request's first byte
        while wire.recv(1000):
            pass


class Connection:
    """One of uvicorn's, that was asked nothing yet (None), or has answered, or has not."""

    def __init__(self, complete: bool | None, unsent: int = 0):
        self.cycle = None if complete is None else SimpleNamespace(response_complete=complete)
        self.transport = SimpleNamespace(get_write_buffer_size=lambda: unsent)


def test_who_stalls_is_cut_off_and_who_waits_for_us_is_not():
    stalled = StalledConnections(ServiceLimits(patience=10, pace=1000))
    new, answered, busy = Connection(None), Connection(True), Connection(False)
    full = Connection(True, 20_000)  # which the client does not take: twenty seconds more
    every = [new, answered, busy, full]
    assert stalled.look(every, 0.0) == stalled.look(every, 10.0) == []
    assert stalled.look(every, 11.0) == [new, answered]
    assert stalled.look([busy, full], 31.0) == [full]
    # A connection that is asked anew has its time anew.
    answered.cycle = SimpleNamespace(response_complete=True)
    assert stalled.look([answered], 32.0) == stalled.look([answered], 42.0) == []


def test_uploads_wait_for_memory_and_not_for_ever():
    with Served(service(patience=0.3, max_memory=20_000, max_bytes=10_000)) as served:
        with served.raw() as first:
            first.sendall(upload(b"x", declared=9_000))
            served.until("treadle_held_bytes", 9_000, what="uploads")
            refused = served.ask("POST", "/image", b"x" * 9_000)
            assert refused.status in (503, 422)  # 422: the first was given up in time
        assert served.ask("POST", "/image", photo((20, 20))).status == 200


def test_what_was_accepted_is_answered_at_the_end(gate):
    served = Served(service())
    with ThreadPoolExecutor(8) as pool, closing(served.connect()) as quiet:
        assert ask(quiet, "GET", "/health").status == 200
        under_way = [pool.submit(served.ask, "POST", "/image", photo()) for _ in range(8)]
        served.until("treadle_requests_in_progress", 8)
        served.server.stop()
        # A connection that was quiet brings one more request, and is closed with its answer.
        found = ask(quiet, "GET", "/health")
        while found.status == 200:  # the server looks ten times a second whether it was stopped
            found = ask(quiet, "GET", "/health")
        assert found.json == {"status": "draining"}
        assert found.headers["connection"] == "close"
        gate.let.set()
        answers = [each.result(LIMIT) for each in under_way]
    assert [answer.status for answer in answers] == [200] * 8
    assert {answer.headers.get("connection") for answer in answers} == {"close"}
    served.join()
    assert not served.server.forced
    with pytest.raises(ConnectionError):
        served.raw()


def test_told_twice_it_stops_at_once(gate):
    served = Served(service())
    with served.raw() as wire:
        wire.sendall(upload(photo()))
        assert gate.reached.wait(LIMIT)
        served.server.stop()
        served.server.stop()
        assert served.server.forced
        served.join()
        answer = b"".join(iter(lambda: wire.recv(1 << 16), b""))
    assert b"503" in answer
    assert b"the service was stopped before this was done" in answer


def test_a_request_that_outlives_the_service_is_told_so_and_is_no_news(caplog):
    served = Served(service())
    served.close()
    body, sent = [{"type": "http.request", "body": photo()}, {"type": "http.disconnect"}], []

    async def receive():
        return body.pop(0) if len(body) > 1 else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/image", "query_string": b""}
    scope["headers"] = [(b"host", b"localhost")]
    asyncio.run(served.service.app(scope, receive, send))
    assert sent[0]["status"] == 503
    assert b"the service was stopped before this was done" in sent[1]["body"]
    assert not caplog.records


def test_the_end_does_not_wait_longer_than_it_may(gate):
    served = Served(service(drain=0.2))
    with served.raw() as wire:
        wire.sendall(upload(photo()))
        assert gate.reached.wait(LIMIT)
        served.server.stop()
        answer = b"".join(iter(lambda: wire.recv(1 << 16), b""))
    assert b"the service was stopped before this was done" in answer
    served.join()


def test_a_service_that_has_ended_does_not_begin_again():
    made = service()
    with Served(made):
        pass

    async def begin():
        async with made.app.router.lifespan_context(made.app):
            pass

    with pytest.raises(treadle.LaunchError, match="make another"):
        asyncio.run(begin())
