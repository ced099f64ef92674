"""What the package's description needs beyond pyproject.toml: the README, for readers elsewhere.

On a package index a relative link leads nowhere. There the text names the page instead, which is in
the source distribution, and leaves the picture out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# The picture, and the lines in italics that speak of it.
_PICTURE = re.compile(r"<picture>.*?</picture>\n+\*.*?\*\n+", re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)]+)\)")


def portable(text: str) -> str:
    """Return the README without what works in the repository alone."""

    def named(link: re.Match[str]) -> str:
        shown, path = link[1], link[2].partition("#")[0]
        return f"`{path}`" if shown.strip("`") == path else f"{shown} (`{path}`)"

    return _LINK.sub(named, _PICTURE.sub("", text))


class DescriptionHook(MetadataHookInterface):
    """Gives the distribution its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": portable(text)}
