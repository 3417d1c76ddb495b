"""Files in the body of a request: streamed to disk, and then read.

The temporary file is always removed, even if the connection is cut.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats import read_run
from berryeval.formats.lines import is_plain_file, iter_pieces
from berryeval.service.problems import Problem

__all__ = ["Upload", "in_turn", "received"]

Found = TypeVar("Found")

# Few at the same time: each needs memory for all its rows.
_readers = ThreadPoolExecutor(2, thread_name_prefix="berryeval-reader")


class Upload:
    """An uploaded file."""

    def __init__(self, path: Path, name: str, max_bytes: int) -> None:
        self._path = path
        self._name = name
        self._max_bytes = max_bytes

    def read_run(self, format: str | None) -> Run:
        """Read it as a run; see `read`."""
        return self.read(lambda path: read_run(path, format=format))

    def read(self, reader: Callable[[Path], Found]) -> Found:
        """Read it with a function that takes a path.

        Raises
        ------
        FormatError
            With the name of the file and the line.
        Problem
            413 if it is too large when decompressed.
        """
        try:
            self._check_size()
            return reader(self._path)
        except FormatError as error:
            message = error.message.replace(str(self._path), self._name)
            raise FormatError(message, self._name, error.line) from None

    def _check_size(self) -> None:
        """Reject a small file that decompresses to a very large one."""
        if is_plain_file(self._path):
            return
        n_bytes = 0
        for piece in iter_pieces(self._path):
            n_bytes += len(piece)
            if n_bytes > self._max_bytes:
                raise Problem(
                    413,
                    f"{self._name}: more than {self._max_bytes:,} bytes when decompressed",
                    kind="too-large",
                    where=self._name,
                    expected=f"at most {self._max_bytes} bytes",
                    found="more",
                )


@asynccontextmanager
async def received(request: Request, name: str, max_bytes: int) -> AsyncIterator[Upload]:
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
    with tempfile.TemporaryDirectory(prefix="berryeval-upload-") as folder:
        path = Path(folder) / "upload"
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
        yield Upload(path, name, max_bytes)


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


async def in_turn(work: Callable[[], Found]) -> Found:
    """Run the work in one of the few threads that read files."""
    return await asyncio.get_running_loop().run_in_executor(_readers, work)
