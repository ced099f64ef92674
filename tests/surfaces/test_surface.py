"""Surfaces without a window: every pixel is the one that was computed, and none crosses for it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import treadle
from surfaces.shown import framed, rgba
from treadle.surfaces.event import SurfaceEvent
from treadle.surfaces.fit import view
from treadle.testing import manual_device

RNG = np.random.default_rng(7)
SHAPES = [(37, 53), (37, 53, 1), (37, 53, 3), (37, 53, 4), (1, 1), (1, 300, 3), (300, 1)]


def picture(shape, dtype):
    floats = RNG.random(shape, np.float32)
    return floats.astype(dtype) if dtype != "u8" else (floats * 255).astype(np.uint8)


def offscreen(width=53, height=37, **options):
    return treadle.surface(width, height, kind="offscreen", **options)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["u8", "f4"])
def test_a_picture_of_the_same_size_is_shown_pixel_by_pixel(drawing, shape, dtype):
    pixels = picture(shape, dtype)
    with offscreen(shape[1], shape[0]) as surface:
        surface.set_pixels(drawing.buffer(pixels)).present()
        assert np.array_equal(surface.get_pixels(), rgba(pixels))


def test_nothing_crosses_for_what_the_drawing_device_computed(drawing):
    with offscreen(64, 48) as surface:
        image = drawing.buffer(picture((48, 64, 3), "u8"))
        for amount in (0.5, 1.0, 1.5):
            treadle.run_to_surface("sharpen", [image], surface, amount=amount).wait()
        assert surface.report.presented == 3
        assert surface.report.crossed == 0
        assert surface.report.read == 0
        surface.get_pixels()
        assert surface.report.read == 48 * 64 * 4
        assert surface.report.crossed == 0


def test_what_another_device_computed_is_uploaded_once_a_frame(drawing):
    with offscreen(64, 48) as surface:
        image = treadle.device("cpu").buffer(picture((48, 64, 3), "u8"))
        for count in (1, 2, 3):
            done = treadle.run_to_surface("sharpen", [image], surface, amount=0.5)
            assert surface.report.uploaded == count * image.size
        done.wait()
        want = treadle.device("cpu").run_kernel("sharpen", [image], amount=0.5).to_numpy()
        assert np.array_equal(surface.get_pixels(), rgba(want))


def test_frames_of_another_device_are_shown_in_order(drawing):
    """The upload of a frame may end after the next was presented; its picture must not win."""
    cpu = treadle.device("cpu")
    with offscreen(16, 16) as surface:
        buffer = cpu.empty((16, 16), "u8")
        for value in range(20):
            buffer.write(np.full((16, 16), value, np.uint8))
            last = surface.set_pixels(buffer).present()
        last.wait()
        assert (surface.get_pixels()[..., :3] == 19).all()


def test_a_buffer_is_shown_before_it_is_written_again(drawing):
    with offscreen(16, 16) as surface:
        buffer = drawing.buffer_zeros((16, 16), "u8")
        surface.set_pixels(buffer).present()
        drawing.submit("scalar_add", [buffer], buffer, scalar=9.0)
        assert (surface.get_pixels()[..., :3] == 0).all()
        surface.present()
        assert (surface.get_pixels()[..., :3] == 9).all()


def test_views_are_shown_from_where_they_begin(drawing):
    pixels = picture((4, 9, 7, 3), "u8")
    floats = picture((4, 9, 7), "f4")
    with offscreen(7, 9) as surface:
        for array in (pixels, floats):
            buffer = drawing.buffer(array)
            for number in range(4):
                surface.set_pixels(buffer[number]).present()
                assert np.array_equal(surface.get_pixels(), rgba(array[number]))


def test_numbers_that_are_none_are_black_and_others_stay_in_range(drawing):
    values = np.array([[np.nan, np.inf, -np.inf, -1, 0, 0.5, 1, 2]], np.float32)
    with offscreen(8, 1) as surface:
        surface.set_pixels(values).present()
        assert surface.get_pixels()[0, :, 0].tolist() == [0, 255, 0, 0, 0, 128, 255, 255]


@pytest.mark.parametrize("given", [np.float64, np.float16, bool, "bytes", "list"], ids=str)
def test_other_forms_of_pixels(drawing, given):
    with offscreen(5, 4) as surface:
        bits = RNG.random((4, 5)) > 0.5
        want = rgba(bits.astype(np.float32))
        forms = {"bytes": (bits * np.uint8(255)).tobytes(), "list": bits.astype(float).tolist()}
        pixels = forms[given] if isinstance(given, str) else bits.astype(given)
        surface.set_pixels(pixels).present()
        assert np.array_equal(surface.get_pixels(), want)


def test_wide_floats_are_narrowed_where_they_are(drawing):
    cpu = treadle.device("cpu")
    with offscreen(5, 4) as surface:
        values = RNG.random((4, 5))
        surface.set_pixels(cpu.buffer(values)).present()
        assert np.array_equal(surface.get_pixels(), rgba(values.astype(np.float32)))


@pytest.mark.parametrize("fit", ["contain", "cover", "stretch", "none"])
@pytest.mark.parametrize("size", [(53, 37), (20, 60), (106, 74), (7, 5)], ids=str)
def test_other_sizes_are_fitted_or_cropped(drawing, fit, size):
    pixels = picture((37, 53, 3), "u8")
    seen = view(size, (37, 53, 3), treadle.u8, fit)
    with offscreen(*size, fit=fit) as surface:
        surface.set_pixels(drawing.buffer(pixels)).present()
        shown, want = surface.get_pixels(), framed(pixels, seen)
        assert np.abs(shown.astype(int) - want).max() <= (1 if seen.smooth else 0)


def test_zoom_shows_the_pixels_of_a_part(drawing):
    pixels = picture((8, 8), "u8")
    with offscreen(16, 16) as surface:
        surface.zoom, surface.centre = 4.0, (2.0, 6.0)
        surface.set_pixels(drawing.buffer(pixels)).present()
        want = np.repeat(np.repeat(pixels[5:7, 1:3], 8, axis=0), 8, axis=1)
        assert np.array_equal(surface.get_pixels(), rgba(want))
        assert surface.place(8, 8) == (2.0, 6.0)


def test_a_storm_of_sizes_leaves_the_last(drawing):
    pixels = picture((37, 53, 3), "u8")
    told = []
    with offscreen() as surface:
        surface.on(told.append, "resize")
        surface.set_pixels(drawing.buffer(pixels))
        for side in range(1, 60):
            surface.resize(side, 60 - side)
            last = surface.present()
        last.wait()
        assert surface.get_pixels().shape == (1, 59, 4)
        assert len(told) == 59
        assert (told[-1].width, told[-1].height) == (59, 1)


def test_two_surfaces_do_not_disturb_each_other(drawing):
    pixels = [picture((37, 53, 3), "u8") for _ in range(2)]
    with offscreen() as first, offscreen() as second:
        for _ in range(5):
            first.set_pixels(drawing.buffer(pixels[0])).present()
            second.set_pixels(drawing.buffer(pixels[1])).present()
        assert np.array_equal(first.get_pixels(), rgba(pixels[0]))
        assert np.array_equal(second.get_pixels(), rgba(pixels[1]))


def test_a_surface_is_the_output_of_a_last_stage(drawing):
    for device in (drawing, treadle.device("cpu")):
        image = device.buffer(picture((48, 64, 3), "u8"))
        with offscreen(64, 48) as surface, treadle.pipeline(device) as pipeline:
            pipeline.add("blur", [image], radius=2, sigma=1.0)
            pipeline.add("sharpen", [pipeline.last], surface, amount=0.5)
            for amount in (0.5, 1.0):
                pipeline.set(1, amount=amount)
                result = pipeline.submit().wait().output
                assert np.array_equal(surface.get_pixels(), rgba(result.to_numpy()))
            assert surface.report.presented == 2
            pipeline.run(bind={1: {"amount": 0.0}})
            assert np.array_equal(surface.get_pixels(), rgba(pipeline.last.to_numpy()))


SIZES = [((48, 64, 3), 10), ((30, 20, 3), 200), ((30, 20), 99), ((96, 300, 3), 255)]


@pytest.mark.parametrize("name", ["cpu", "webgpu"])
def test_a_pipeline_that_is_bound_to_another_shape_shows_that(drawing, name):
    device = treadle.device(name)
    made = [np.full(shape, value, np.uint8) for shape, value in SIZES]
    first, *others = [device.buffer(each) for each in made]
    with treadle.surface(64, 48, kind="offscreen") as surface, treadle.pipeline(device) as p:
        p.buffer("x", first)
        p.add("blur", [first], radius=1, sigma=1.0)
        p.add("sharpen", [p.last], surface, amount=0.5)
        for buffer, (_, value) in zip([first, *others, first], [*SIZES, SIZES[0]], strict=True):
            p.bind(x=buffer).run()
            assert surface.get_pixels()[24, 32].tolist() == [value] * 3 + [255]
        with pytest.raises(treadle.LaunchError, match=r"bind\(\), not to one run"):
            p.run(bind={"x": others[0]})
        p.submit().wait()
        assert surface.get_pixels()[24, 32, 0] == SIZES[0][1]


def test_the_documents_forms(drawing):
    """create_surface, set_pixels with bytes, present, and run_to_surface with an output."""
    with treadle.use_device(drawing):
        surface = treadle.create_surface(64, 48, kind="offscreen")
        output = treadle.empty((48, 64, 3), "u8")
        treadle.run_kernel("generate_gradient", [], output)
        treadle.set_pixels(surface, treadle.read(output))
        treadle.present(surface)
        assert np.array_equal(surface.get_pixels(), rgba(output.to_numpy()))
        again = treadle.empty((48, 64, 3), "u8")
        treadle.run_to_surface("sharpen", [output], again, surface, {"amount": 1.0})
        assert np.array_equal(surface.get_pixels(), rgba(again.to_numpy()))
        surface.close()


@pytest.mark.parametrize(
    "pixels, told",
    [
        (np.zeros((4, 4, 2), np.uint8), r"1, 3 or 4 channels, got \(4, 4, 2\)"),
        (np.zeros(9, np.uint8), r"got \(9,\)"),
        (np.zeros((0, 4), np.uint8), r"got \(0, 4\)"),
        (np.zeros((4, 4), np.int64), "u8 or floats from 0 to 1, got int64"),
        (b"123", "5x4 picture with 1, 3 or 4 channels, got 3 bytes"),
    ],
)
def test_what_is_no_picture_is_refused(drawing, pixels, told):
    with offscreen(5, 4) as surface:
        with pytest.raises(treadle.LaunchError, match=told):
            surface.set_pixels(pixels)
        with pytest.raises(treadle.LaunchError, match="nothing was set"):
            surface.present()
        with pytest.raises(treadle.LaunchError, match="nothing was presented"):
            surface.get_pixels()


def test_bad_arguments_are_refused(drawing):
    for width, height in ((0, 1), (1, 0), (1.5, 2), (True, 2), (1, 20000)):
        with pytest.raises(treadle.LaunchError, match="from 1 to 16384"):
            offscreen(width, height)
    with pytest.raises(treadle.LaunchError, match="did you mean 'offscreen'"):
        treadle.surface(1, 1, kind="ofscreen")
    with pytest.raises(treadle.LaunchError, match="fit: expected one of"):
        offscreen(fit="all")
    with pytest.raises(treadle.LaunchError, match="cpu cannot draw"):
        offscreen(device="cpu")
    with pytest.raises(treadle.DeviceUnavailable, match="no notebook runs here"):
        treadle.surface(1, 1, kind="notebook")
    with offscreen() as surface:
        with pytest.raises(treadle.LaunchError, match="expected one made by"):
            treadle.run_to_surface("relu", [], "surface")
        with pytest.raises(treadle.LaunchError, match="did you mean 'key_down'"):
            surface.on(print, "keydown")
        freed = drawing.buffer(np.zeros((3, 3), np.uint8))
        freed.free()
        with pytest.raises(treadle.BufferFreed):
            surface.set_pixels(freed)


@pytest.mark.parametrize(
    "name, value",
    [("zoom", 0), ("zoom", -1), ("zoom", float("nan")), ("zoom", "2"), ("zoom", None),
     ("centre", 3), ("centre", (1,)), ("centre", "ab"), ("centre", (1, float("inf"))),
     ("fit", "contian"), ("fit", None)],
)  # fmt: skip
def test_what_is_shown_of_a_picture_is_checked_where_it_is_set(drawing, name, value):
    with offscreen() as found:
        before = getattr(found, name)
        with pytest.raises(treadle.LaunchError, match=f"{name}: expected"):
            setattr(found, name, value)
        assert getattr(found, name) == before


def test_only_events_are_sent(drawing):
    with offscreen() as found, pytest.raises(treadle.LaunchError, match="expected a SurfaceEvent"):
        found.send("close")


def test_a_closed_surface_says_so_once(drawing):
    told = []
    surface = offscreen().on(told.append)
    surface.set_pixels(np.zeros((3, 3), np.uint8)).present()
    surface.close()
    surface.close()
    assert [event.kind for event in told] == ["close"]
    assert surface.closed
    assert "closed" in repr(surface)
    for use in (surface.present, surface.get_pixels, lambda: surface.set_pixels(b"")):
        with pytest.raises(treadle.SurfaceClosed):
            use()
    with pytest.raises(treadle.SurfaceClosed):
        surface.send(SurfaceEvent("key_down", key="a"))


def test_a_picture_waits_for_another_device_and_fails_with_it(drawing):
    device, backend = manual_device(signals=True)
    with offscreen(2, 2) as surface:
        surface.set_pixels(np.full((2, 2), 7, np.uint8)).present()
        given, made = device.buffer(np.ones((2, 2), np.float32)), device.empty((2, 2))
        device.submit("relu", [given], made)
        backend.expect(1)
        first = surface.show(made)
        assert not first.done()  # and this thread was not held up
        backend.complete()
        first.wait()
        assert (surface.get_pixels() == 255).all()
        device.submit("relu", [given], made)
        backend.expect(1)
        second = surface.show(made)
        backend.fail(error=RuntimeError("the device broke"))
        with pytest.raises(treadle.CommandFailed, match="the device broke"):
            second.wait()
        assert (surface.get_pixels() == 255).all()
    device.close()


def test_a_dropped_surface_leaves_nothing(drawing):
    surface = offscreen(64, 64)
    surface.set_pixels(np.zeros((64, 64, 4), np.uint8)).present().wait()
    before = drawing.memory_in_use
    gone = weakref.ref(surface)
    del surface
    gc.collect()
    drawing.synchronize()
    assert gone() is None
    assert drawing.memory_in_use < before


def test_a_surface_in_a_notebook_is_a_png(drawing):
    with offscreen(4, 3) as surface:
        assert surface._repr_png_() is None
        surface.set_pixels(np.zeros((3, 4), np.uint8)).present()
        assert surface._repr_png_().startswith(b"\x89PNG")


def test_a_device_that_is_gone_is_one_clear_error(drawing):
    from treadle.backends.webgpu import WebGpuBackend
    from treadle.runtime.device import Device

    with Device(WebGpuBackend(warm=False), "other") as other:
        surface = treadle.surface(4, 4, kind="offscreen", device=other)
        surface.show(np.zeros((4, 4), np.uint8)).wait()
    with pytest.raises(treadle.DeviceLost):
        surface.present()
    surface.close()
    assert surface.closed


def test_a_cancelled_present_shows_nothing_and_harms_nothing(drawing):
    device, backend = manual_device(signals=True)
    with offscreen(2, 2) as surface:
        surface.show(np.full((2, 2), 7, np.uint8)).wait()
        made = device.empty((2, 2))
        device.submit("relu", [device.buffer(np.ones((2, 2), np.float32))], made)
        backend.expect(1)
        waiting = surface.show(made)
        assert waiting.cancel()
        backend.complete()
        assert surface.get_pixels()[..., 0].tolist() == [[7, 7], [7, 7]]
        surface.show(np.full((2, 2), 9, np.uint8)).wait()
        assert surface.get_pixels()[..., 0].tolist() == [[9, 9], [9, 9]]
    device.close()


def test_a_closed_surface_is_refused_before_anything_is_submitted(drawing):
    cpu = treadle.device("cpu")
    image = cpu.buffer(picture((4, 4, 3), "u8"))
    surface = offscreen(4, 4)
    with treadle.pipeline(cpu) as pipeline:
        pipeline.add("sharpen", [image], surface)
        surface.close()
        output = cpu.buffer_zeros((4, 4, 3), "u8")
        for use in (
            pipeline.submit,
            pipeline.run,
            lambda: treadle.run_to_surface("sharpen", [image], output, surface),
        ):
            with pytest.raises(treadle.SurfaceClosed):
                use()
        cpu.synchronize()
        assert not output.to_numpy().any()


def test_a_command_that_gives_no_picture_is_refused(drawing):
    cpu = treadle.device("cpu")
    with offscreen(4, 4) as surface:
        both = cpu.submit("top_k", [cpu.buffer(np.ones((4, 4), np.float32))], k=2)
        with pytest.raises(treadle.LaunchError, match="gives several outputs"):
            surface.set_pixels(both)
        with pytest.raises(treadle.LaunchError, match="gives nothing"):
            surface.set_pixels(cpu.barrier())
