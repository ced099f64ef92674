"""A real browser for tests of pages: Chromium without a window, driven through its own pipe.

`with Browser() as browser: page = browser.open(address)`; a page evaluates JavaScript, waits for
an expression to become true, sets files, and takes screenshots. Nothing is installed for it but
the browser: the DevTools protocol is JSON, and each message ends with a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LIMIT = 60.0  # seconds for anything, on a machine that is busy
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe",
)  # fmt: skip

# Chromium reads its descriptor 3 and writes its descriptor 4.
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


def program() -> str | None:
    """The browser's program, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def require() -> None:
    """Skip a test where there is no browser, unless TREADLE_REQUIRE names it."""
    if program() is None:
        if "browser" in os.environ.get("TREADLE_REQUIRE", "").split(","):
            pytest.fail("browser is required, and there is no Chromium: apt-get install chromium")
        pytest.skip("no Chromium: apt-get install chromium")


class Failed(Exception):
    """The browser refused a command, or a page's script raised."""


class Browser:
    """A process of Chromium with a profile of its own."""

    def __init__(self) -> None:
        path = program()
        assert path is not None, "ask require() first"
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        hear, send = os.pipe(), os.pipe()  # (to read, to write), for either direction
        start = [sys.executable, "-S", "-E", "-c", START, str(send[0]), str(hear[1])]
        profile = f"--user-data-dir={self._folder.name}"
        self._process = subprocess.Popen(
            [*start, path, *OPTIONS, profile, "about:blank"],
            pass_fds=(send[0], hear[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        os.close(send[0])
        os.close(hear[1])
        self._in, self._out = open(hear[0], "rb"), open(send[1], "wb")  # noqa: SIM115
        self._answers: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._number = 0

    def _listen(self) -> None:
        """Read messages until the browser ends; a test hears answers, not events."""
        rest = b""
        while piece := self._in.read1(1 << 16):
            *whole, rest = (rest + piece).split(b"\0")
            for each in whole:
                message = json.loads(each)
                if "id" in message:
                    self._answers.put(message)

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Give one command of the DevTools protocol, and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            try:
                answer = self._answers.get(timeout=LIMIT)
            except Empty:
                raise Failed(f"{method}: no answer; ended with {self._process.poll()}") from None
            if answer["id"] == self._number:
                break
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']}")
        return answer["result"]

    def open(
        self, address: str, *, width: int = 1400, height: int = 900, dark: bool = False
    ) -> Page:
        """Open an address in a new page of a size in pixels, and wait until it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        page = Page(self, attached["sessionId"], target)
        page.resize(width, height)
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[feature])
        page.go(address)
        return page

    def close(self) -> None:
        """End the browser and remove its profile."""
        try:
            self.call("Browser.close")
            self._process.wait(LIMIT)
        except (Failed, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._thread.join(LIMIT)
        self._in.close()
        self._out.close()
        self._folder.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Page:
    """One page of a browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Give one command of the DevTools protocol to the page."""
        return self._browser.call(method, self._session, **params)

    def resize(self, width: int, height: int) -> None:
        """Give the page another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def go(self, address: str) -> None:
        """Go to an address, and wait until it has loaded."""
        found = self.call("Page.navigate", url=address)
        if "errorText" in found:
            raise Failed(f"{address}: {found['errorText']}")
        self.wait("document.readyState === 'complete'")

    def evaluate(self, script: str) -> Any:
        """Return what a JavaScript expression gives, awaited where it is a promise."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def wait(self, condition: str, seconds: float = LIMIT) -> None:
        """Wait until a JavaScript expression is true."""
        # The page waits for its own next frame or timer, so that this needs no sleep of its own.
        script = f"""new Promise((done) => {{
            const look = () => {{ if ({condition}) done(true); else setTimeout(look, 20); }};
            setTimeout(() => done(false), {int(min(seconds, LIMIT / 2) * 1000)});
            look();
        }})"""
        late = monotonic() + seconds
        while True:
            try:
                if self.evaluate(script):
                    return
            except Failed as error:
                # While a page goes to another address its scripts are lost.
                if "navigated" not in str(error) and "destroyed" not in str(error):
                    raise
            if monotonic() > late:
                raise Failed(f"never true: {condition}\n{self.evaluate('document.body.innerText')}")

    def choose(self, selector: str, *paths: Path) -> None:
        """Choose files in a file input, as a person does in its dialog."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def drop(self, selector: str, *paths: Path) -> None:
        """Drag files over an element, and drop them there."""
        box = self.evaluate(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=box[0], y=box[1], data=data)

    def screenshot(self, path: Path | None = None, *, whole: bool = False) -> bytes:
        """Return a PNG of what is to be seen, or of the whole page; also written to a path."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        data = base64.b64decode(found["data"])
        if path is not None:
            path.write_bytes(data)
        return data

    def close(self) -> None:
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)
