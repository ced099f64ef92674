"""Models: networks in ONNX files, run by onnxruntime as commands and as stages of pipelines.

In: files or bytes, and buffers. Out: buffers. A model is a function of the host's like any other
(treadle.host); what runs it is session's, and only session imports onnxruntime.
"""

from __future__ import annotations

from treadle.models.model import Model
from treadle.models.ports import Port
from treadle.models.session import providers

__all__ = ["Model", "Port", "providers"]
