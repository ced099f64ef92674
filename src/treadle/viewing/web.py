"""A viewer in a browser of this machine: sliders for parameters, before and after side by side.

In: a viewer. Out: a page on loopback whose WebSocket brings changes and gets pictures: a text that
says what is shown, then two PNGs, before and after. Of changes that come while a picture is made
only the last of each parameter counts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import treadle
from treadle import png
from treadle.pages import LoopbackPage, Socket
from treadle.viewing.viewer import Viewer

__all__ = ["WebView"]

_LARGEST = 1600  # pixels along an edge that are sent
_SENSELESS = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)  # of a message
_LEVEL = 1  # of zlib: a picture is looked at for a moment


class WebView:
    """A viewer's page."""

    def __init__(self, viewer: Viewer, folder: Path, port: int = 0) -> None:
        self.viewer = viewer
        self.folder = folder
        self._lock = threading.Lock()  # a viewer is for one thread at a time, pages may be several
        text = (resources.files("treadle.viewing") / "page.html").read_text("utf-8")
        self.page = LoopbackPage(text, port=port, talk=self._talk)

    def _talk(self, page: Socket) -> None:
        said = ""
        self._show(page, said)
        while (text := page.receive()) is not None:
            try:
                given = json.loads(text)
                with self._lock:
                    said = self._take(given) if isinstance(given, dict) else ""
            except (*_SENSELESS, OSError, treadle.TreadleError) as error:
                said = str(error).splitlines()[0] if str(error) else type(error).__name__
            if not self._show(page, said):
                return

    def _take(self, given: Mapping[str, Any]) -> str:
        """Do what the page asks for; return what to tell about it."""
        viewer = self.viewer
        if "set" in given:
            number, value = given["set"]
            viewer.set(int(number), float(value))
        elif "step" in given:
            viewer.step(1 if given["step"] > 0 else -1)
        elif given.get("save") == "recipe":
            return f"saved {viewer.save_recipe(self.folder).name}"
        elif given.get("save") == "picture":
            return f"saved {viewer.save_picture(self.folder).name}"
        return ""

    def _show(self, page: Socket, said: str) -> bool:
        with self._lock:
            viewer = self.viewer
            before, after, wrong = viewer.look()
            state = {
                "recipe": viewer.recipe.label,
                "input": viewer.name,
                "number": viewer.number + 1,
                "count": len(viewer.inputs),
                "said": wrong or said,
                "controls": [
                    {
                        "name": f"{each.kernel}.{each.name}",
                        "value": each.value,
                        "low": each.low,
                        "high": each.high,
                        "step": 1 if each.whole else (each.high - each.low) / 200,
                    }
                    for each in viewer.controls
                ],
            }
        if not page.send(json.dumps(state)):
            return False
        return all(page.send(_encoded(each)) for each in (before, after))

    def close(self) -> None:
        """End the page."""
        self.page.close()

    def __enter__(self) -> WebView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _encoded(pixels: Any) -> bytes:
    step = -(-max(pixels.shape[:2]) // _LARGEST)
    return png.encode(pixels[::step, ::step], level=_LEVEL)
