"""With Ray itself: processes that are killed, arrays that are not copied, and bad addresses."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import ray

import treadle
from treadle import cluster
from treadle.cluster import engine
from treadle.cluster.worker import Tally
from treadle.errors import BatchError, ClusterError, DeviceUnavailable, LaunchError

# What is sent must not be looked for in this file, which workers cannot import.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module", autouse=True)
def connection():
    """One cluster on this machine for every test here."""
    with cluster.connect("local", cpus=2) as made:
        yield made


def frames(count):
    return [np.full((4, 4), n, np.float32) for n in range(count)]


def two(batches, **options):
    return cluster.stream(batches, workers=2, cores=1, **{"compute": "relu", **options})


@treadle.pointwise
def three_times(x):
    return x * 3.0


def test_a_stream_whose_workers_are_killed_gives_each_result_once():
    run = two(frames(60), compute="three_times", collect=lambda r: (os.getpid(), float(r[0, 0])))
    came, killed = [], set()
    for pid, value in run:
        came.append(value)
        if len(came) in (10, 30) and pid not in killed:
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
    assert came == [3.0 * n for n in range(60)]
    assert killed
    assert run.restarts == len(killed)
    assert sum(worker.batches for worker in run.workers) >= 60, run.workers
    assert run.report.batches == 60


def poisoned(frame):
    if frame[0, 0] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return frame


def test_a_batch_that_kills_its_workers_is_found():
    run = two(frames(12), prepare=poisoned, on_error=lambda error: error)
    came = list(run)
    assert isinstance(came[5], BatchError)
    assert came[5].index == 5
    assert "died again and again" in str(came[5])
    kept = [result for place, result in enumerate(came) if place != 5]
    assert [int(result[0, 0]) for result in kept] == [n for n in range(12) if n != 5]


class Looking:
    """A handler that says what its arrays are."""

    def handle(self, batch, wanted):
        return not batch.flags.owndata and not batch.flags.writeable

    def tally(self):
        return Tally()

    def close(self):
        pass


def test_arrays_reach_workers_without_a_copy():
    batches = [np.zeros(1 << 20, np.uint8)] * 2
    assert list(cluster.open_stream(batches, Looking, workers=1, cores=1)) == [True, True]


def test_results_can_be_had_without_a_copy():
    (result,) = two([np.ones((512, 512), np.float32)], copy=False)
    assert not result.flags.writeable
    np.testing.assert_array_equal(result, 1.0)


class Counting:
    """A handler that notes what its process compiles, and waits for the other one to begin."""

    def __init__(self, folder):
        os.environ["TREADLE_CACHE"] = str(folder / "cache")
        from treadle.backends.cpu.jit import Jit

        build, self.folder = Jit._build, folder

        def noting(jit, text):
            with (folder / "built").open("a") as file:
                file.write(f"{sha256(text.encode()).hexdigest()}\n")
            return build(jit, text)

        Jit._build = noting
        (folder / f"here-{os.getpid()}").touch()

    def handle(self, batch, wanted):
        until = time.monotonic() + 60
        while len(list(self.folder.glob("here-*"))) < 2:
            assert time.monotonic() < until, "the other worker did not come"
            time.sleep(0.01)
        device = treadle.device("cpu")
        result = device.run_kernel("softmax", [device.from_numpy(batch)]).to_numpy()
        return os.getpid(), float(result.sum())

    def tally(self):
        return Tally()

    def close(self):
        pass


def test_nothing_is_compiled_twice_on_a_machine(tmp_path):
    batches = [np.ones((2, 8), np.float32)] * 6
    run = cluster.open_stream(batches, partial(Counting, tmp_path), workers=2, cores=1, depth=1)
    came = list(run)
    assert len({pid for pid, _ in came}) == 2
    built = (tmp_path / "built").read_text().splitlines()
    assert built
    assert len(built) == len(set(built))


def test_what_cannot_be_sent_names_its_argument():
    lock = threading.Lock()

    def decode(frame):
        with lock:
            return frame

    with pytest.raises(ClusterError, match=r"prepare cannot be sent .* decode .* holds 'lock'"):
        two(frames(1), prepare=decode)
    recorded = treadle.Pipeline()
    with recorded, pytest.raises(ClusterError, match=r"compute cannot be sent to a worker"):
        two(frames(1), compute=recorded)


def test_what_is_made_there():
    def recorded():
        frame, result = treadle.empty((4, 4), "f32"), treadle.empty((4, 4), "f32")
        pipeline = treadle.Pipeline()
        pipeline.buffer("frame", frame)
        pipeline.buffer("result", result)
        return pipeline.add("neg", frame, result)

    run = two(
        frames(3),
        compute=cluster.made_there(recorded),
        inputs="frame",
        outputs={"result": ((4, 4), "f32")},
        collect=lambda result: float(result[0, 0]),
    )
    assert list(run) == [0.0, -1.0, -2.0]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"compute": "rellu"}, "did you mean 'relu'"),
        ({"prepare": 3}, "prepare: expected a function or None, got 3"),
        ({"device": 3}, "device: expected the name"),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(options, said):
    with pytest.raises(LaunchError, match=said):
        two(frames(1), **options)


def test_more_than_any_machine_has():
    with pytest.raises(ClusterError, match="a worker needs 64 cores of one machine"):
        list(cluster.stream(frames(1), compute="relu", workers=1, cores=64))


def test_another_cluster_than_the_one_in_use():
    with pytest.raises(ClusterError, match="this program is connected to 127"):
        cluster.connect("10.0.0.1:6379")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own
def test_a_dataset_through_a_pool_of_workers():
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    images = np.arange(40 * 6, dtype=np.float32).reshape(40, 2, 3) - 100
    dataset = ray.data.from_numpy(images)
    made = cluster.map_batches(dataset, "relu", columns="data", outputs="clipped", batch_size=16)
    rows = sorted(made.take_all(), key=lambda row: row["data"][0, 0])
    np.testing.assert_array_equal([row["clipped"] for row in rows], np.maximum(images, 0))
    with pytest.raises(LaunchError, match=r"dataset: expected a ray\.data\.Dataset"):
        cluster.map_batches([1, 2], "relu")


# Without the connection: other processes.


def alone(text, **options):
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=100, **options
    )


def test_no_cluster_at_the_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    text = f"""
import treadle
from treadle import cluster
for address in ("127.0.0.1:{port}", "nonsense", "127.0.0.1:999999"):
    try:
        list(cluster.stream([1], compute="relu", address=address))
    except treadle.ClusterError as error:
        print(error)
"""
    said = alone(text)
    assert said.stderr == ""
    first, second, third = said.stdout.splitlines()
    assert f"no cluster answers at 127.0.0.1:{port} (Connection refused)" in first
    assert "expected host:port" in second
    assert "no cluster answers at 127.0.0.1:999999" in third


def test_something_else_at_the_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer():
            found, _ = server.accept()
            with found:
                found.recv(100)
                found.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        said = alone(f"from treadle import cluster; cluster.connect('127.0.0.1:{port}')")
        thread.join()
    assert said.stderr.splitlines()[-1] == (
        f"treadle.errors.ClusterError: address: what answers at 127.0.0.1:{port} is no cluster of "
        "Ray; start one with `ray start --head`, or leave address out for one on this machine"
    )


def test_ray_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DeviceUnavailable, match=r"pip install 'treadle\[cluster\]'"):
        two(frames(1))


INTERRUPTED = """
import os, signal, time
from treadle import cluster
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
def slow(n):
    time.sleep(60)
try:
    for result in cluster.stream(range(9), compute="relu", prepare=slow, workers=2, cores=1):
        pass
finally:
    print("left", flush=True)
"""


def processes_of(parent):
    """The processes below one, by what the system says of each."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = path.read_text().partition(" ")
        except OSError:
            continue
        found[int(number)] = int(rest.rpartition(")")[2].split()[1])
    below, grown = {parent}, True
    while grown:
        more = {pid for pid, above in found.items() if above in below} - below
        grown = bool(more)
        below |= more
    return below - {parent}


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc"
)
def test_two_interrupts_leave_nothing_behind(tmp_path):
    driver = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    workers, until = set(), time.monotonic() + 60
    while len(workers) < 2:  # "ray::Host.take" is what a worker calls itself
        below = processes_of(driver.pid)
        workers = {pid for pid in below if b"ray::Host.take" in command(pid)}
        assert driver.poll() is None
        assert time.monotonic() < until, "the workers were given nothing"
        time.sleep(0.05)
    driver.send_signal(signal.SIGINT)
    time.sleep(0.2)
    driver.send_signal(signal.SIGINT)
    out, err = driver.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert out == "left\n"
    assert driver.returncode == -signal.SIGINT
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists() and command(pid)]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_cluster_that_cannot_be_joined_says_that_it_may_want_a_token(monkeypatch):
    class Refusing:
        def init(self, *_, **__):
            raise ConnectionError("Failed to connect\nand more")

    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    with pytest.raises(treadle.ClusterError, match=r"Failed to connect; where .*RAY_AUTH_MODE"):
        engine._join(Refusing(), "auto")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    with pytest.raises(treadle.ClusterError, match=r"Failed to connect$"):
        engine._join(Refusing(), "auto")
