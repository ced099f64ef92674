"""Which format an answer has: what the address asks for, what the client accepts, or the default.

In: `?format=` and the header Accept. Out: the formats that suit the client best, of which the
photo's own is taken where it is one of them, or a Refusal that lists what there is.
"""

from __future__ import annotations

from treadle.photos import FORMATS, PhotoError, format_of
from treadle.serving.limits import Refusal

__all__ = ["MEDIA_TYPES", "best_of", "wanted"]

MEDIA_TYPES = {name: f"image/{name}" for name in FORMATS}
_BY_TYPE = {media: name for name, media in MEDIA_TYPES.items()} | {"image/jpg": "jpeg"}
_ANY = "*"
_LONGEST = 1000  # characters of a header that are looked at


def wanted(asked: str | None, accept: str | None) -> tuple[str, ...]:
    """Return the formats that suit best, all alike; empty where any does."""
    if asked is not None:
        try:
            return (format_of(asked[:_LONGEST]),)
        except PhotoError as error:
            raise Refusal(400, str(error)) from error
    if not accept:
        return ()
    weights = _weights(accept)
    if not weights:
        known = ", ".join(MEDIA_TYPES.values())
        raise Refusal(406, f"Accept: expected one of {known}, got {accept[:_LONGEST]!r}")
    most = max(weights.values())
    best = tuple(name for name, weight in weights.items() if weight == most)
    return () if _ANY in best else best


def best_of(formats: tuple[str, ...], own: str) -> str:
    """Return the format to write: the photo's own where that is as good as any other."""
    return own if not formats or own in formats else formats[0]


def _weights(header: str) -> dict[str, float]:
    """The formats that an Accept header names, and how much the client likes each."""
    found: dict[str, float] = {}
    for part in header[:_LONGEST].split(","):
        media, *parameters = (each.strip().lower() for each in part.split(";"))
        name = _ANY if media in ("*/*", "image/*") else _BY_TYPE.get(media, "")
        weight = 1.0
        for each in parameters:
            key, _, value = each.partition("=")
            if key.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        if name and weight > 0:
            found[name] = max(weight, found.get(name, 0.0))
    return found
