"""Files in the body of a request: streamed to disk, and then read.

The temporary file is always removed, even if the connection is cut.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request

from berryeval.errors import FormatError
from berryeval.formats.lines import is_plain_file
from berryeval.service.problems import Problem
from berryeval.service.temporary import temporary_folder

__all__ = ["file_body", "named", "received"]


def file_body(example: str) -> dict[str, Any]:
    """Return the description of a request whose body is a file, for ``openapi_extra``."""
    binary = {"schema": {"type": "string", "format": "binary"}, "example": example}
    return {
        "requestBody": {
            "required": True,
            "description": "The file, plain or compressed with gzip or zstd. `Content-Digest` "
            "(RFC 9530, sha-256), if given, must match.",
            "content": {"application/octet-stream": binary},
        }
    }


@contextmanager
def named(path: Path, name: str) -> Iterator[None]:
    """Replace the name of a temporary file in errors by the one that the client gave it."""
    try:
        yield
    except FormatError as error:
        message = error.message.replace(str(path), name)
        facts = {"expected": error.expected, "found": error.found, "way_out": error.way_out}
        raise type(error)(message, name, error.line, **facts) from None


@asynccontextmanager
async def received(request: Request, name: str) -> AsyncIterator[Path]:
    """Receive the body of a request as a file, which exists within the block.

    Raises
    ------
    Problem
        400 if the body is empty, was cut off, or does not match ``Content-Digest``; 415 if it is
        a form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        raise _form(name, "a form")
    digest = hashlib.sha256()
    n_bytes = 0
    has_lines = False
    with temporary_folder() as folder:
        path = folder / "upload"
        with path.open("wb") as file:
            try:
                async for piece in request.stream():
                    digest.update(piece)
                    n_bytes += len(piece)
                    has_lines = has_lines or b"\n" in piece
                    file.write(piece)
            except ClientDisconnect:
                raise Problem(400, f"{name}: cut off after {n_bytes:,} bytes; nothing was stored",
                              kind="cut-off", where=name) from None  # fmt: skip
        if not n_bytes:
            raise Problem(400, "body: expected a file, found nothing", kind="no-body",
                          where="body", expected="a file", found="nothing")  # fmt: skip
        _check_digest(request.headers.get("content-digest"), digest.digest())
        # `curl --data` removes line ends and sends this type; the rest of a run would be
        # read as one long row. `curl --data-binary` sends the same type.
        if kind == "application/x-www-form-urlencoded" and not has_lines and is_plain_file(path):
            raise _form(name, "text without lines")
        with named(path, name):
            yield path


def _form(name: str, found: str) -> Problem:
    way_out = "curl --data-binary @FILE -H 'Content-Type: application/octet-stream'"
    return Problem(415, f"{name}: expected the unmodified file, found {found}; {way_out}",
                   where=name, expected="the unmodified file", found=found,
                   way_out=way_out)  # fmt: skip


def _check_digest(header: str | None, found: bytes) -> None:
    """Check the body against ``Content-Digest: sha-256=:…:`` (RFC 9530)."""
    if header is None:
        return
    given = dict(part.strip().partition("=")[::2] for part in header.split(",")).get("sha-256")
    if given is not None and given.strip().strip(":") != base64.b64encode(found).decode():
        raise Problem(
            400,
            "the body does not match Content-Digest; send it again",
            kind="digest",
            where="Content-Digest",
            expected=given[:80],
            found=f":{base64.b64encode(found).decode()}:",
            way_out="send it again",
        )
