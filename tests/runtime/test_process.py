"""The life of the process: fork, and an exit with work in flight."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def script(text, *, tmp_path):
    """Run a script in a fresh interpreter; return the lines that it printed."""
    path = tmp_path / "script.py"  # a file, because kernels are read from their source
    path.write_text(textwrap.dedent(text), "utf-8")
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path]))
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        env=env,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.split("\n")[:-1]


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@forks
def test_after_a_fork_old_devices_are_refused_and_new_ones_work(tmp_path):
    lines = script(
        """
        import os, treadle
        from runtime.shared import ready_device, times

        cpu = treadle.device("cpu")
        before = treadle.buffer([1.0, 2.0])
        treadle.run_kernel("relu", [before])
        manual, backend = ready_device()
        held = manual.buffer([1.0, 2.0])
        running = manual.submit(times, [held])
        waiting = manual.submit(times, [running.output])
        done = cpu.submit("relu", [before])
        done.wait()

        child = os.fork()
        if not child:
            for use in (
                before.read,
                lambda: before.write([3.0, 4.0]),
                lambda: cpu.submit("relu", [before]),
                lambda: cpu.run_kernel("relu", [before]),
                lambda: cpu.buffer([1.0]),
                cpu.barrier,
                lambda: manual.submit(times, [held]),
            ):
                try:
                    use()
                except treadle.DeviceLost as error:
                    assert "fork" in str(error) and "spawn" in str(error), error
                else:
                    os._exit(3)
            for command in (running, waiting, treadle.runtime.registry.find(running.id)):
                try:
                    command.wait(10)
                except treadle.CommandFailed as error:
                    assert isinstance(error.__cause__, treadle.DeviceLost)
                else:
                    os._exit(4)
            assert done.wait().status == "completed"
            before.free()
            manual.close()
            fresh = treadle.device("cpu")
            assert fresh is not cpu and treadle.device() is fresh
            a = treadle.buffer([-1.0, 2.0])
            assert treadle.run_kernel("relu", [a]).read_list() == [0.0, 2.0]
            big = treadle.buffer_zeros(1 << 20)
            assert treadle.submit("exp", [big]).wait(60).output[:1].read_list() == [1.0]
            treadle.device("cpu").close()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("child", os.waitstatus_to_exitcode(status))
        backend.complete_all()
        print("parent", waiting.wait().output.read_list(), before.read_list())
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["child 0", "parent [4.0, 8.0] [1.0, 2.0]"]


@forks
def test_a_fork_while_other_threads_submit(tmp_path):
    lines = script(
        """
        import os, threading, treadle
        from runtime.shared import ready_device, times

        device, backend = ready_device(inline=True)
        a = device.buffer([1.0, 2.0])
        stop = threading.Event()

        def work():
            while not stop.is_set():
                device.run_kernel(times, [a])

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        codes = []
        for _ in range(10):
            child = os.fork()
            if not child:  # locks may have been held by threads that do not exist here
                try:
                    device.submit(times, [a])
                except treadle.DeviceLost:
                    other, _ = ready_device(inline=True)
                    ok = other.run_kernel(times, [other.buffer([1.0])]).read_list() == [2.0]
                    os._exit(0 if ok else 5)
                os._exit(6)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        for thread in threads:
            thread.join()
        print(codes)
        """,
        tmp_path=tmp_path,
    )
    assert lines == [str([0] * 10)]


@pytest.mark.parametrize("signals", [True, False])
@pytest.mark.parametrize("ordered", [True, False])
def test_exit_with_work_in_flight(tmp_path, signals, ordered):
    lines = script(
        f"""
        import atexit, threading
        commands = []
        atexit.register(lambda: print([str(command.status) for command in commands]))
        import treadle
        from runtime.shared import ready_device, times

        device, backend = ready_device(signals={signals}, ordered={ordered})
        a = device.buffer([1.0, 2.0])
        running = device.submit(times, [a], a)
        barrier = device.barrier()
        waiting = device.submit(times, [a], a)
        commands += [running, barrier, waiting]

        def wait():
            try:
                waiting.wait()
            except treadle.CommandError:
                pass

        threading.Thread(target=wait, daemon=True).start()
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["['failed', 'cancelled', 'cancelled']"]


def test_exit_while_something_compiles(tmp_path):
    lines = script(
        """
        import atexit
        commands = []
        atexit.register(lambda: print([command.done() for command in commands]))
        import treadle
        from treadle.testing import manual_device

        device, backend = manual_device(hold_compiles=True)
        held = device.submit("exp", [device.buffer_zeros(7)])
        cpu = treadle.submit("gelu", [treadle.buffer_zeros(7)])
        commands += [held, cpu]
        atexit.register(backend.release_compiles, 10)  # closing waits for what is being compiled
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["[True, True]"]


def test_exit_with_work_in_flight_on_the_cpu(tmp_path):
    lines = script(
        """
        import asyncio, atexit
        commands = []
        atexit.register(lambda: print(all(command.done() for command in commands)))
        import treadle

        a = treadle.buffer_zeros(1 << 22)
        commands += [treadle.submit("exp", [a], a) for _ in range(50)]
        commands += [treadle.submit("tanh", [treadle.buffer_zeros(1 << 20)]) for _ in range(20)]

        async def main():
            asyncio.ensure_future(commands[-1])
            await asyncio.sleep(0)

        asyncio.run(main())
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["True"]


def test_importing_treadle_starts_nothing(tmp_path):
    lines = script(
        """
        import sys, threading, treadle
        print(threading.active_count(), "llvmlite" in sys.modules, "asyncio" in sys.modules)
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["1 False False"]
