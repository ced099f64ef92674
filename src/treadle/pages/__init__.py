"""Pages for the person at this machine: a server on loopback, with a token that no other page has.

In: texts, and functions that answer. Out: an address to open. They need no package but Python's
own, so that `treadle.dashboard()` works wherever Treadle does.
"""

from __future__ import annotations

from treadle.pages.dashboard import Dashboard
from treadle.pages.loopback import LoopbackPage
from treadle.pages.socket import Socket

__all__ = ["Dashboard", "LoopbackPage", "Socket"]
