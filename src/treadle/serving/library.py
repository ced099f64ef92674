"""Starlette and uvicorn (extra `serve`): loaded when a service is made, in this one place.

In: nothing. Out: what is used of them, or a sentence that names the extra.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from treadle.errors import LaunchError

__all__ = ["starlette", "uvicorn"]

_NEEDED = "serving needs {}, which is not installed; pip install 'treadle[serve]'"


@cache
def starlette() -> Any:
    """Return what is used of Starlette."""
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.responses import HTMLResponse, Response
        from starlette.routing import Route
    except ModuleNotFoundError as error:
        raise LaunchError(_NEEDED.format(error.name)) from error
    return SimpleNamespace(
        Starlette=Starlette,
        HTTPException=HTTPException,
        HTMLResponse=HTMLResponse,
        Response=Response,
        Route=Route,
    )


@cache
def uvicorn() -> Any:
    """Return uvicorn."""
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise LaunchError(_NEEDED.format(error.name)) from error
    return uvicorn
