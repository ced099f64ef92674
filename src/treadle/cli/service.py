"""`treadle serve`: from the arguments to a service that answers, and to its end.

In: what was asked for. Out: the address on stdout, problems on stderr, and the exit status. Every
error that can be foreseen is a sentence, and nothing listens until everything that is offered has
been opened.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Sequence
from pathlib import Path

import treadle
import treadle.models
from treadle.cli.console import complain, console
from treadle.cli.recipes import checked
from treadle.data import dataclass
from treadle.files import read_regular
from treadle.recipes import Recipe, shipped
from treadle.search import Index
from treadle.serving import Server, Service, ServiceLimits, serve
from treadle.serving.guard import LOOPBACK

__all__ = ["run"]

_MAX_LABELS = 1 << 24  # bytes


@dataclass(slots=True)
class _Offer:
    """What was named on the command line, opened."""

    recipe: Recipe | None = None
    model: treadle.models.Model | None = None
    labels: list[str] | None = None
    index: Index | None = None


class _Complained(Exception):
    """A problem was printed already."""


def run(
    what: Sequence[str],
    *,
    port: int,
    host: str,
    allow_hosts: Sequence[str],
    settings: Sequence[str],
    labels: Path | None,
    device: str | None,
    max_pixels: float,
    max_bytes: float,
    max_memory: float,
    max_requests: int,
    strip: bool,
    trust: bool,
) -> int:
    """Serve until stopped; return the exit status."""
    offer = _Offer()
    try:
        _open(offer, what, settings=settings, device=device, trust=trust)
        _label(offer, labels)
        limits = ServiceLimits(
            max_bytes=round(max_bytes * 1e6),
            max_pixels=round(max_pixels * 1e6),
            max_memory=round(max_memory * 1e6),
            max_requests=max_requests,
        )
        service = Service(
            offer.recipe,
            model=offer.model,
            labels=offer.labels,
            index=offer.index,
            device=device,
            limits=limits,
            hosts=_hosts(host, allow_hosts),
            strip=strip,
        )
        logging.basicConfig(format="treadle: %(message)s")  # to stderr
        ended_well = serve(service, host=host, port=port, ready=_say, stopping=_say_stopping)
    except _Complained:
        return 2
    except treadle.TreadleError as error:
        return complain(str(error))
    finally:
        if offer.index is not None:
            offer.index.close()
        if offer.model is not None:
            offer.model.free()
    return 0 if ended_well else 130


def _open(
    offer: _Offer, what: Sequence[str], *, settings: Sequence[str], device: str | None, trust: bool
) -> None:
    for name in what:
        # A recipe's name is one of a few; anything else that is a file is an index.
        if name.endswith(".onnx"):
            if offer.model is not None:
                raise treadle.LaunchError(f"{name}: a service has one network, and got two")
            offer.model = treadle.model(name, device=device)
        elif name in shipped() or name.endswith(".toml") or not os.path.isfile(name):
            if offer.recipe is not None:
                raise treadle.LaunchError(f"{name}: a service has one recipe, and got two")
            offer.recipe = checked(name, settings=settings, trust=trust)
            if offer.recipe is None:
                raise _Complained
        else:
            if offer.index is not None:
                raise treadle.LaunchError(f"{name}: a service has one index, and got two")
            offer.index = Index.open(name, device=device)
    if settings and offer.recipe is None:
        raise treadle.LaunchError("--set: expected a recipe whose stages it changes")


def _label(offer: _Offer, path: Path | None) -> None:
    """Read the names of a network's classes, one in each line."""
    if path is None:
        return
    if offer.model is None:
        raise treadle.LaunchError("--labels: expected a network whose classes it names")
    try:
        offer.labels = read_regular(path, limit=_MAX_LABELS).decode("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise treadle.LaunchError(f"--labels: {path} cannot be read: {said}") from error


def _hosts(host: str, allowed: Sequence[str]) -> tuple[str, ...] | None:
    """The names by which clients may call; None for any."""
    if allowed:
        return (*LOOPBACK, *(each.lower() for each in allowed))
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host.lower() == "localhost"
    return (*LOOPBACK, host.lower()) if here else None


def _say(server: Server) -> None:
    service = server.service
    names = [] if service.photos is None else [service.photos.recipe.label]
    if service.network is not None:
        names.append(service.network.model.name)
    if service.vectors is not None:
        names.append(repr(service.vectors.index))
    console(stderr=True).print("Ctrl-C stops it when it has answered everything.", style="dim")
    said = f"{' and '.join(names)} on {service.device.name}: {server.address}"
    console().print(said, soft_wrap=True)


def _say_stopping() -> None:
    said = "stopping: what was accepted is finished; Ctrl-C again stops at once"
    console(stderr=True).print(said, style="dim")
