"""`treadle view` in a real window: keys change the recipe, and the picture follows."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import treadle

pytest.importorskip("PIL")


def test_keys_change_the_picture_in_the_window(display, drawing, tmp_path):
    from treadle.recipes import parse
    from treadle.viewing import Viewer
    from treadle.viewing.window import WindowView

    recipe = parse('name = "bright"\n[[stage]]\nkernel = "brightness_contrast"\n')
    viewer = Viewer(recipe, ["test-card"], treadle.device("cpu"))
    shown = []

    async def main():
        async with treadle.surface(480, 320, kind="window") as surface:
            view = WindowView(viewer, surface, tmp_path)
            running = asyncio.create_task(view.run())
            canvas = surface._window._canvas
            for count, key in enumerate(("h", "+", "q"), 1):
                while surface.report.presented < count:
                    await asyncio.sleep(0)
                if key == "q":
                    shown.append(await surface.get_pixels_async())
                canvas.submit_event({"event_type": "key_down", "key": key, "modifiers": ()})
            await running
            assert surface.closed

    asyncio.run(asyncio.wait_for(main(), 60))
    value = viewer.controls[0].value
    assert value > 0
    assert shown[0].shape == (320, 480, 4)
    assert shown[0].astype(int).mean() > np.asarray(viewer.before()).mean()
