"""WebGPU on OpenGL: one thread at a time in the driver, and nobody waits for it who must not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from types import SimpleNamespace

import pytest

from treadle.backends.webgpu.opengl import Turns


class Driver:
    """Functions of which one says when it is inside, and stays there until it is let go."""

    def __init__(self):
        self.inside, self.go = threading.Event(), threading.Event()
        self.called = []

    def submit(self):
        self.called.append("submit")
        self.inside.set()
        assert self.go.wait(60)
        self.called.append("submitted")

    def poll(self):
        self.called.append("poll")

    def release(self, handle):
        self.called.append(handle)


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def turns(driver):
    """Turns over the functions that a module like wgpu's has."""
    turns = Turns()

    def proxy(call, name):
        def called(*args):
            return call(*args)

        called.__name__ = name
        return called

    bare = SimpleNamespace(
        wgpuQueueSubmit=driver.submit,
        wgpuDevicePoll=driver.poll,
        wgpuBufferRelease=driver.release,
        wgpuDeviceRelease=driver.release,
    )
    functions = SimpleNamespace(**{n: proxy(c, n) for n, c in vars(bare).items()}, _other=1)

    class Buffer:
        _release_function = functions.wgpuBufferRelease

    turns.native = SimpleNamespace(lib=bare, libf=functions, Buffer=Buffer)
    turns.install(turns.native)
    turns.functions = functions
    return turns


def start(call, *args):
    thread = threading.Thread(target=call, args=args, daemon=True)
    thread.start()
    return thread


def busy(turns, driver):
    thread = start(turns.functions.wgpuQueueSubmit)
    assert driver.inside.wait(60)
    return thread


def test_a_call_waits_for_the_one_inside(turns, driver):
    inside = busy(turns, driver)
    waiting = start(turns.functions.wgpuDevicePoll)
    waiting.join(0.05)
    assert waiting.is_alive()
    assert driver.called == ["submit"]
    driver.go.set()
    waiting.join(60)
    inside.join(60)
    assert driver.called == ["submit", "submitted", "poll"]


def test_what_finalizers_call_does_not_wait_and_is_not_forgotten(turns, driver):
    turns.native.Buffer._release_function(1)
    assert driver.called == [1]
    inside = busy(turns, driver)
    turns.functions.wgpuBufferRelease(2)
    turns.native.Buffer._release_function(3)
    assert driver.called == [1, "submit"]
    driver.go.set()
    inside.join(60)
    assert driver.called == [1, "submit", "submitted", 2, 3]


def test_the_end_of_a_device_is_not_put_off(turns, driver):
    inside = busy(turns, driver)
    ending = start(turns.functions.wgpuDeviceRelease, 1)
    ending.join(0.05)
    assert ending.is_alive()
    driver.go.set()
    ending.join(60)
    inside.join(60)
    assert driver.called == ["submit", "submitted", 1]


def test_inside_a_callback_calls_go_through_and_finalizers_do_not(turns, driver):
    def callback():
        turns.functions.wgpuBufferRelease(1)  # the driver may hold what this needs
        turns.functions.wgpuDevicePoll()
        assert turns.attempt(lambda: "done") is None
        driver.called.append("end")

    turns.waiting(callback)()
    assert driver.called == ["poll", "end", 1]


def test_an_attempt_does_not_wait(turns, driver):
    assert turns.attempt(lambda: turns.functions.wgpuDevicePoll() or "done") == "done"
    inside = busy(turns, driver)
    assert turns.attempt(lambda: "done") is None
    driver.go.set()
    inside.join(60)
    assert turns.attempt(lambda: "done") == "done"


def test_errors_leave_the_driver(turns, driver):
    def fail():
        turns.functions.wgpuBufferRelease(1)
        raise ValueError("refused")

    for call in (turns.waiting(fail), lambda: turns.attempt(fail)):
        with pytest.raises(ValueError, match="refused"):
            call()
    other = start(turns.functions.wgpuDevicePoll)
    other.join(60)
    assert driver.called == [1, 1, "poll"]


def test_who_comes_back_at_once_does_not_overtake(turns, driver):
    looked = threading.Event()

    def submit_without_end():
        submit = turns.waiting(lambda: looked.wait(0.001))
        while not looked.is_set():
            submit()

    thread = start(submit_without_end)
    start(turns.waiting(looked.set)).join(60)
    thread.join(60)
    assert looked.is_set()


# On a real adapter, where there is one

OPENGL = """
    import threading
    import numpy as np
    import treadle
    from treadle.backends.base import Region
    from treadle.backends.webgpu import WebGpuBackend
    from treadle.backends.webgpu.driver import Gpu, adapters

    if adapters()[0].info["backend_type"] not in ("OpenGL", "OpenGLES"):
        print("no OpenGL but", adapters()[0].info["backend_type"])
        raise SystemExit
"""


def script(text, folder):
    """Run a script in an interpreter that finds no Vulkan driver; return the words it printed."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(OPENGL) + textwrap.dedent(text), "utf-8")
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    env |= {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
    ran = subprocess.run(
        [sys.executable, str(path)], env=env, text=True, capture_output=True, timeout=120
    )
    if "treadle.errors.DeviceUnavailable" in ran.stderr or ran.stdout.startswith("no OpenGL"):
        pytest.skip("no OpenGL adapter here")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout.split()


def test_devices_open_and_close_while_another_works(tmp_path):
    text = """
    import wgpu

    @treadle.pointwise
    def slow(x, *, rounds=500):
        for _ in range(rounds):
            x = x * 0.999 + 0.5
        return x

    device = treadle.device("webgpu")
    x = device.buffer(np.ones(100_000, np.float32))
    submit, inside = Gpu.submit, threading.Event()

    def telling(self, commands):
        inside.set()
        submit(self, commands)

    device.run_kernel(slow, [x])
    Gpu.submit = telling

    def working():
        inside.clear()
        work.append(device.submit(slow, [x]))
        assert inside.wait(60)

    work = []
    working()
    for _ in range(2):
        other = WebGpuBackend(warm=False)
        working()
        other.close()
        del other
        working()
    assert wgpu.gpu.enumerate_adapters_sync()  # as other libraries of the process do
    working()
    assert wgpu.gpu.request_adapter_sync().request_device_sync()
    results = [each.wait().output.to_numpy() for each in work]
    print(len(results), all((each == results[0]).all() for each in results))
    """
    assert script(text, tmp_path) == ["6", "True"]


def test_memory_is_taken_and_given_back_while_somebody_is_in_the_driver(tmp_path):
    text = """
    backend = WebGpuBackend()
    backend.pool_limit = 0
    first = backend.allocate(1000)
    inside, go = threading.Event(), threading.Event()

    def stay():
        inside.set()
        assert go.wait(60)

    thread = threading.Thread(target=backend._gpu._turns.waiting(stay))
    thread.start()
    assert inside.wait(60)
    taken = backend.allocate(4000)
    never_used = backend.allocate(4000)
    written = np.arange(1000, dtype=np.float32)
    backend.write(Region(taken, 0), written)
    del first, never_used
    print(backend.memory()[1])  # none of it waits
    go.set()
    read = np.empty(1000, np.float32)
    backend.read(Region(taken, 0), read)
    print((read == written).all(), thread.join())
    backend.close()
    """
    assert script(text, tmp_path) == ["0", "True", "None"]


def test_adapters_are_looked_for_once(tmp_path):
    text = """
    found = []
    threads = [threading.Thread(target=lambda: found.append(adapters())) for _ in range(4)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    print(len(found), all(each[0] is adapters()[0] for each in found))
    """
    assert script(text, tmp_path) == ["4", "True"]


def test_the_end_of_one_device_leaves_what_others_draw(tmp_path):
    """Its release unbound the vertex array of the context that all of them share."""
    text = """
    import gc
    from treadle.runtime.device import Device

    def shown(device):
        with treadle.surface(2, 2, kind="offscreen", device=device) as surface:
            surface.show(np.full((2, 2), 7, np.uint8)).wait()
            return surface.get_pixels()[0, 0, 0]

    first = treadle.device("webgpu")
    print(shown(first))
    with Device(WebGpuBackend(warm=False), "second") as second:
        print(shown(second))
    del second
    gc.collect()
    print(shown(first))
    """
    assert script(text, tmp_path) == ["7", "7", "7"]
