"""What pictures are shown on: textures of our own, or those of a window.

In: a block of memory that holds pixels, and which of them go where. Out: a render pass that reads
the block itself: one triangle that covers everything, and a fragment shader that looks its pixel
up. No pixel is copied or converted before, and none leaves the device. Everything here runs on the
submit thread, where the driver may take its time; what a surface is, is not known here.
"""

from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from treadle.backends.base import Framing
from treadle.backends.webgpu.driver import Gpu, translate_errors
from treadle.backends.webgpu.memory import MemoryBlock
from treadle.dtypes import DType
from treadle.errors import DeviceUnavailable

__all__ = ["ROW_ALIGN", "Canvas", "Painter"]

ROW_ALIGN = 256  # bytes, of the rows of what is copied out of a texture
_OWN = "rgba8unorm"
# Bytes go to the screen as they are: a format with "-srgb" would take them for linear light.
_FORMATS = ("bgra8unorm", "rgba8unorm")
_ARGUMENTS = struct.Struct("<4f4i")

_TEXT = """
struct Framing {
  scale: vec2f,
  offset: vec2f,
  size: vec2i,
  start: i32,
  pad: i32,
}

@group(0) @binding(0) var<uniform> view: Framing;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  let x = f32(i32(index & 1u) * 4 - 1);
  let y = f32(i32(index >> 1u) * 4 - 1);
  return vec4f(x, y, 0.0, 1.0);
}

// Four bytes from any place on, as numbers from 0 to 255.
fn four(at: i32) -> vec4f {
  let shift = u32((at & 3) * 8);
  var word = pixels[at >> 2u] >> shift;
  if (shift != 0u && CHANNELS > 1) {
    word |= pixels[(at >> 2u) + 1] << (32u - shift);
  }
  let bytes = vec4u(word, word >> 8u, word >> 16u, word >> 24u) & vec4u(255u);
  return vec4f(bytes);
}

// From 0 to 255; not a number is 0, as everywhere where floats become bytes.
fn value(at: i32) -> f32 {
  let bits = pixels[at];
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0.0;
  }
  return clamp(bitcast<f32>(bits), 0.0, 1.0) * 255.0;
}

fn pixel(given: vec2i) -> vec4f {
  let place = clamp(given, vec2i(0, 0), view.size - vec2i(1, 1));
  let at = view.start + (place.y * view.size.x + place.x) * CHANNELS;
  if (BYTES) {
    let found = four(at);
    if (CHANNELS == 1) {
      return vec4f(found.xxx, 255.0);
    }
    return vec4f(found.xyz, select(255.0, found.w, CHANNELS == 4));
  }
  let first = value(at);
  if (CHANNELS == 1) {
    return vec4f(first, first, first, 255.0);
  }
  let colour = vec3f(first, value(at + 1), value(at + 2));
  if (CHANNELS == 3) {
    return vec4f(colour, 255.0);
  }
  return vec4f(colour, value(at + 3));
}

@fragment
fn shade(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let place = position.xy * view.scale + view.offset;
  if (any(place < vec2f(0.0, 0.0)) || any(place >= vec2f(view.size))) {
    return vec4f(0.0, 0.0, 0.0, 1.0);
  }
  if (!SMOOTH) {
    return round(pixel(vec2i(floor(place)))) / 255.0;
  }
  let corner = floor(place - 0.5);
  let part = place - 0.5 - corner;
  let at = vec2i(corner);
  let above = mix(pixel(at), pixel(at + vec2i(1, 0)), part.x);
  let below = mix(pixel(at + vec2i(0, 1)), pixel(at + vec2i(1, 1)), part.x);
  return round(mix(above, below, part.y)) / 255.0;
}
"""


class Canvas:
    """A texture that pictures are drawn on; with a window, the one that it shows next."""

    def __init__(self, window: Mapping[str, Any] | None) -> None:
        self.window = window
        self.skipped = 0  # draws for which the window had no texture: it is hidden, or changes size
        self.texture: Any = None
        self.arguments: MemoryBlock | None = None
        self.format = _OWN
        self._context: Any = None
        self._size = (0, 0)

    def begin(self, gpu: Gpu, size: tuple[int, int]) -> bool:
        """Have a texture of a size to draw on; false where the window has none for now."""
        if self.arguments is None:
            nbytes = _ARGUMENTS.size
            self.arguments = MemoryBlock(gpu.buffer(nbytes, "UNIFORM", "COPY_DST"), nbytes)
        if self.window is not None:
            return self._next_of_window(gpu, size)
        if self.texture is None or self._size != size:
            usage = gpu.wgpu.TextureUsage
            with translate_errors(f"a canvas of {size[0]}x{size[1]}"):
                self.texture = gpu.device.create_texture(
                    size=(*size, 1), format=_OWN, usage=usage.RENDER_ATTACHMENT | usage.COPY_SRC
                )
            self._size = size
        return True

    def _next_of_window(self, gpu: Gpu, size: tuple[int, int]) -> bool:
        with translate_errors("a window's surface"):
            if self._context is None:
                self._context = self._configured(gpu, size)
            elif self._size != size:
                self._context.set_physical_size(*size)
            self._size = size
            try:
                self.texture = self._context.get_current_texture()
            except gpu.wgpu.DrawCancelled:
                self.skipped += 1
                return False
        return bool(self.texture.size[:2] == size) or self._skip()

    def _skip(self) -> bool:
        """Show the texture as it is, which has another size than was asked for."""
        self.skipped += 1
        self.present()
        return False

    def _configured(self, gpu: Gpu, size: tuple[int, int]) -> Any:
        context = gpu.wgpu.gpu.get_canvas_context({"method": "screen", **(self.window or {})})
        _check_first(gpu, context)
        context.set_physical_size(*size)
        usage = gpu.wgpu.TextureUsage.RENDER_ATTACHMENT
        for each in _FORMATS:
            try:
                context.configure(device=gpu.device, format=each, usage=usage)
            except ValueError:  # the window does not have it
                continue
            self.format = each
            return context
        raise DeviceUnavailable(f"webgpu cannot draw on the window: it has none of {_FORMATS}")

    def present(self) -> None:
        """Have the window show what was drawn."""
        if self._context is None or self.texture is None:
            return
        self.texture = None
        if _cut_off(self.window or {}):
            self.skipped += 1
            return
        with translate_errors("a frame"):
            self._context.present()

    def close(self) -> None:
        """Let go of everything, before the window goes."""
        context, self._context = self._context, None
        self.texture = self.arguments = None
        if context is not None:
            context.unconfigure()
            del context  # it must go before its window does, and nothing else refers to it


def _cut_off(window: Mapping[str, Any]) -> bool:
    """Whether the display of a window is known to be gone. Mesa's software drivers ask X how much
    they may send at once, take the answer of a display that is gone for a size in which to send,
    and then count to two to the thirty-second on the thread that presents."""
    if window.get("platform") != "x11" or not window.get("display"):
        return False
    found = _xcb()
    return found is not None and bool(found[1](found[0](int(window["display"]))))


@cache
def _xcb() -> tuple[Any, Any] | None:
    """What gives the connection of a display, and what says whether that has failed."""
    try:
        connection = ctypes.CDLL("libX11-xcb.so.1").XGetXCBConnection
        failed = ctypes.CDLL("libxcb.so.1").xcb_connection_has_error
    except (OSError, AttributeError):  # there is no Xlib over XCB
        return None
    connection.argtypes, connection.restype = [ctypes.c_void_p], ctypes.c_void_p
    failed.argtypes = [ctypes.c_void_p]
    return connection, failed


def _check_first(gpu: Gpu, context: Any) -> None:
    """Have a context look whether its window is there before it is configured, at first or again:
    the driver ends the process where the display is gone."""
    configure, found = type(context)._configure_screen_real, weakref.ref(context)

    def checked() -> None:
        here = found()
        if here is None or not gpu.can_show(here):
            raise gpu.wgpu.DrawCancelled("the window's display is gone")
        configure(here)

    context._configure_screen_real = checked


class _Look(NamedTuple):
    """What a pipeline is made for: drivers on the processor are slow to ask for every pixel."""

    format: str  # of what is drawn on
    channels: int
    whole: bool  # bytes, not floats
    smooth: bool

    @property
    def text(self) -> str:
        """Its shader."""
        known = (("BYTES", self.whole), ("SMOOTH", self.smooth))
        said = [f"const {name} = {str(bool(value)).lower()};" for name, value in known]
        return "\n".join([f"const CHANNELS = {self.channels};", *said, _TEXT])


class Painter:
    """The pipelines of a device that draw."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._made: dict[_Look, tuple[Any, Any]] = {}

    def draw(
        self, encoder: Any, canvas: Canvas, view: Framing, block: MemoryBlock, offset: int
    ) -> None:
        """Add a pass to a command buffer that shows a block's pixels on a canvas."""
        assert canvas.arguments is not None
        rows, columns, channels = view.picture
        whole = view.dtype is DType.U8
        layout, pipeline = self._pipeline(_Look(canvas.format, channels, whole, view.smooth))
        start = offset if whole else offset // view.dtype.size
        packed = _ARGUMENTS.pack(*view.scale, *view.offset, columns, rows, start, 0)
        self._gpu.write(canvas.arguments.buffer, 0, packed)
        entries = [
            {"binding": k, "resource": {"buffer": each.buffer, "offset": 0, "size": each.capacity}}
            for k, each in enumerate((canvas.arguments, block))
        ]
        group = self._gpu.device.create_bind_group(layout=layout, entries=entries)
        attachment = {
            "view": canvas.texture.create_view(),
            "load_op": "clear",
            "store_op": "store",
            "clear_value": (0.0, 0.0, 0.0, 1.0),
        }
        drawing = encoder.begin_render_pass(color_attachments=[attachment])
        drawing.set_pipeline(pipeline)
        drawing.set_bind_group(0, group)
        drawing.draw(3)
        drawing.end()

    def copy(
        self, encoder: Any, canvas: Canvas, size: tuple[int, int], to: tuple[Any, int]
    ) -> None:
        """Add a copy of a canvas's pixels to a command buffer."""
        buffer, offset = to
        pitch = -(-size[0] * 4 // ROW_ALIGN) * ROW_ALIGN
        encoder.copy_texture_to_buffer(
            {"texture": canvas.texture},
            {"buffer": buffer, "offset": offset, "bytes_per_row": pitch, "rows_per_image": size[1]},
            (*size, 1),
        )

    def _pipeline(self, look: _Look) -> tuple[Any, Any]:
        found = self._made.get(look)
        if found is None:
            with translate_errors("the pipeline of a canvas"):
                found = self._made[look] = self._compile(look)
        return found

    def _compile(self, look: _Look) -> tuple[Any, Any]:
        device, stage = self._gpu.device, self._gpu.wgpu.ShaderStage.FRAGMENT
        kinds = ("uniform", "read-only-storage")
        entries = [
            {"binding": k, "visibility": stage, "buffer": {"type": kind}}
            for k, kind in enumerate(kinds)
        ]
        layout = device.create_bind_group_layout(entries=entries)
        module = device.create_shader_module(label="canvas", code=look.text)
        pipeline = device.create_render_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
            vertex={"module": module, "entry_point": "corner"},
            primitive={"topology": "triangle-list"},
            fragment={
                "module": module,
                "entry_point": "shade",
                "targets": [{"format": look.format}],
            },
        )
        return layout, pipeline
