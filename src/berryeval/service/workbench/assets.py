"""Styles and scripts, served from memory under an address that changes with their content."""

from __future__ import annotations

import hashlib
import mimetypes
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.charts.chart import file_style
from berryeval.errors import NotFoundError
from berryeval.reports.html.document import shared_style

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # in 3.10 it is elsewhere

__all__ = ["HTMX", "Asset", "address_of", "assets", "router"]

HTMX = "vendor/htmx.min.js"
"""Comes from npm when the package is built. Without it, pages use plain links and forms."""

_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

router = APIRouter(prefix="/assets")


class Asset(NamedTuple):
    """A file that pages load."""

    body: bytes
    version: str
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """Return all files by name; no others are served."""
    folder = resources.files(__package__) / "static"
    found = {name: entry.read_bytes() for name, entry in _files(folder)}
    found["shared.css"] = shared_style().encode()
    found["chart-file.css"] = file_style("auto").encode()
    return {name: _asset(name, body) for name, body in found.items()}


def address_of(name: str) -> str:
    """Return the address of a file, which changes whenever the file does."""
    return f"/assets/{name}?v={assets()[name].version}"


@router.get("/{name:path}")
async def get_asset(name: str, request: Request) -> Response:
    """Return a file. Browsers cache it indefinitely if they request this version."""
    asset = assets().get(name)
    if asset is None:
        raise NotFoundError("asset", name)
    is_current = request.query_params.get("v") == asset.version
    headers = {
        "Cache-Control": _FOREVER if is_current else "no-cache",
        "ETag": f'"{asset.version}"',
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(asset.body, headers=headers, media_type=asset.media_type)


def _files(folder: Traversable, inside: str = "") -> list[tuple[str, Traversable]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _files(entry, f"{inside}{entry.name}/")
        else:
            found.append((f"{inside}{entry.name}", entry))
    return found


def _asset(name: str, body: bytes) -> Asset:
    ending = name[name.rfind(".") :]
    kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Asset(body, hashlib.sha256(body).hexdigest()[:12], kind)
