"""The page on which a person drops a photo and sees what becomes of it.

In: what the service offers. Out: one HTML text that needs nothing else, and the policy that lets a
browser run only what is in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["page"]


@cache
def _parts() -> tuple[str, str]:
    """The page without the offer, and its policy."""
    text = (resources.files("treadle.serving") / "page.html").read_text("utf-8")
    hashes = {
        tag: base64.b64encode(
            hashlib.sha256(
                re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)[1].encode()  # type: ignore[index]
            ).digest()
        ).decode()
        for tag in ("style", "script")
    }
    policy = (
        "default-src 'none'; connect-src 'self'; img-src blob: data:; "
        f"style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text, policy


def page(offer: dict[str, Any]) -> tuple[str, str]:
    """Return the page and its Content-Security-Policy."""
    text, policy = _parts()
    # Inside of a script element only "<" could end it, or begin a comment.
    return text.replace("{{offer}}", json.dumps(offer).replace("<", "\\u003c")), policy
