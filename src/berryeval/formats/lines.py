"""Lines of files, compressed or not, with their numbers."""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from berryeval.core.inputs import note_input
from berryeval.errors import FormatError, MissingExtraError, SizeError, hide_password
from berryeval.formats._foreign import N_FIRST, foreign_content
from berryeval.formats.limits import within_limits

if TYPE_CHECKING:
    import zstandard

__all__ = [
    "BOM",
    "FIRST_BYTES",
    "Kept",
    "PathLike",
    "can_be_read_again",
    "is_plain_file",
    "iter_lines",
    "iter_pieces",
    "open_plain",
    "path_name",
    "read_content",
    "readable_again",
]

PathLike = str | os.PathLike[str]

_GZIP = b"\x1f\x8b\x08"  # the only method there is
_ZSTD = b"\x28\xb5\x2f\xfd"
BOM = b"\xef\xbb\xbf"
FIRST_BYTES = (BOM, _GZIP, _ZSTD)
"""First bytes that are not part of the text: a byte order mark, or those of compression."""
_PIECE = 1 << 21
_FIRST_PIECE = 1 << 16  # often the first lines are all that is wanted
_PIECES_AHEAD = 2
_IN_MEMORY = 16 << 20  # bytes of a pipe
_COMPRESSED_PIECE = 1 << 13  # small: a few bytes may expand to very many
_DECOMPRESSION_ERRORS = ("IsalError", "ZstdError")  # by name: the libraries may not be installed


class Kept(os.PathLike[str]):
    """The content of standard input or of a pipe, which can then be read as often as a file.

    It is in memory, or in a temporary file if it is large. An endless one ends with a `SizeError`
    before it fills the disk: at half of what is free.
    """

    def __init__(self, path: PathLike) -> None:
        import shutil  # slow to import, and not needed for files
        import tempfile
        import weakref

        self._name = os.fspath(path)
        content = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - close()
        weakref.finalize(self, content.close)
        folder = tempfile.gettempdir()
        most = shutil.disk_usage(folder).free // 2
        n_bytes = 0
        for piece in iter_pieces(path):
            n_bytes += len(piece)
            if n_bytes > max(most, _IN_MEMORY):
                raise SizeError.unexpected(
                    f"at most {most / 1e9:,.2f} GB, half of what is free in {folder}",
                    "more",
                    path_name(path),
                    way_out="write it to a file first",
                )
            content.write(piece)
        self._content = content

    def __fspath__(self) -> str:
        return self._name

    def open(self) -> IO[bytes]:
        """Return a reader with a position of its own."""
        return io.BufferedReader(_Reader(self))

    def read(self, position: int, size: int) -> bytes:
        """Return some bytes."""
        self._content.seek(position)
        return self._content.read(size)


class _Reader(io.RawIOBase):
    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # as it is called
        piece = self._kept.read(self._position, len(buffer))
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)


def path_name(path: PathLike) -> str:
    """Return the name of a file in messages; ``-`` is standard input."""
    name = os.fspath(path)
    return "standard input" if name == "-" else hide_password(name)


def can_be_read_again(path: PathLike) -> bool:
    """Whether it is a file, a folder or kept, and neither standard input nor a pipe.

    Raises if it does not exist.
    """
    if isinstance(path, Kept) or os.fspath(path) == "-":
        return isinstance(path, Kept)
    with _errors_named(path):
        mode = os.stat(path).st_mode  # noqa: PTH116 - pathlib is slow to import
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def readable_again(path: PathLike) -> PathLike:
    """Return a path that may be opened as often as needed: a pipe is read now, and kept."""
    return path if can_be_read_again(path) else Kept(path)


def iter_lines(path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Iterate over the lines of a file and their numbers, from 1.

    ``-`` reads standard input. gzip and zstd are recognised by their first bytes, regardless of the
    file name. A byte order mark is dropped.

    Raises `FormatError` if the file cannot be read, is damaged, compressed in another way, or
    UTF-16 text; `MissingExtraError` if zstd is not installed.
    """
    number = 0
    begun: list[bytes] = []  # parts of a line whose end has not been read yet
    for piece in iter_pieces(path):
        lines = (piece if begun or number else piece.removeprefix(BOM)).split(b"\n")
        if len(lines) > 1:
            lines[0] = b"".join((*begun, lines[0]))
            begun = []
        begun.append(lines.pop())
        for line in lines:
            number += 1
            yield number, line + b"\n"
    if last := b"".join(begun):
        yield number + 1, last


def iter_pieces(path: PathLike) -> Iterator[bytes]:
    """Iterate over the content of a file in pieces, including a byte order mark.

    The first is small, and later ones grow to two megabytes.
    Raises what `iter_lines` raises. Another thread decompresses the next pieces of a file while
    the caller works on this one.
    """
    with _errors_named(path), _open(path) as file:
        pieces = _growing(file)
        # A thread that waits for a pipe could not be stopped, and kept input is already unpacked.
        if not isinstance(path, Kept) and can_be_read_again(path) and not is_plain_file(path):
            pieces = _ahead(pieces)
        yield from within_limits(pieces, path_name(path))


def _growing(file: IO[bytes]) -> Iterator[bytes]:
    size = min(_FIRST_PIECE, _PIECE)
    while piece := file.read(size):
        yield piece
        size = min(2 * size, _PIECE)


def read_content(path: PathLike) -> bytes:
    """Return the whole content of a file, decompressed, including a byte order mark.

    Raises what `iter_lines` raises.
    """
    if not (can_be_read_again(path) and is_plain_file(path)):
        return b"".join(iter_pieces(path))
    # Not buffered: bytes peeked at earlier would have to be joined with the rest.
    with _errors_named(path), _open(path), open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read()


def _ahead(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Iterate over what another thread reads, two pieces ahead at most.

    By hand: `concurrent.futures` takes longer to import than many a file to read.
    """
    from queue import SimpleQueue
    from threading import Semaphore, Thread

    ready: SimpleQueue[bytes | Exception] = SimpleQueue()
    room = Semaphore(_PIECES_AHEAD)
    is_wanted = True

    def read() -> None:
        try:
            while is_wanted and (piece := next(pieces, b"")):
                ready.put(piece)
                room.acquire()
            ready.put(b"")
        except Exception as error:  # noqa: BLE001 - raised where the pieces are wanted
            ready.put(error)

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        while piece := ready.get():
            if isinstance(piece, Exception):
                raise piece
            room.release()
            yield piece
    finally:
        is_wanted = False
        room.release()
        reader.join()


def is_plain_file(path: PathLike) -> bool:
    """Whether it is an uncompressed file. Also False if it cannot be opened."""
    if isinstance(path, Kept) or os.fspath(path) == "-":
        return False
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return not file.read(len(_ZSTD)).startswith((_GZIP, _ZSTD))
    except OSError:
        return False  # reading it reports why


@contextmanager
def _errors_named(path: PathLike) -> Iterator[None]:
    """Add the name of the file to errors while reading it."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise FormatError(f"cannot be read: {error.strerror}", path_name(path)) from error
        is_damage = isinstance(error, (OSError, EOFError, zlib.error))
        if not is_damage and type(error).__name__ not in _DECOMPRESSION_ERRORS:
            raise
        what = f"damaged or truncated compressed file ({error})"
        message = f"cannot be read: {what}; write the file again"
        raise FormatError(message, path_name(path)) from error


@contextmanager
def open_plain(path: PathLike) -> Iterator[IO[bytes] | None]:
    """Open a file that can be read as it is, at any place; None if it is compressed or a pipe."""
    if isinstance(path, Kept) or not can_be_read_again(path):
        yield None
        return
    with _errors_named(path), _open_source(path) as file:
        yield None if _first_bytes(file).startswith((_GZIP, _ZSTD)) else file


@contextmanager
def _open(path: PathLike) -> Iterator[IO[bytes]]:
    with ExitStack() as opened:
        source = opened.enter_context(_open_source(path))
        first = _first_bytes(source)
        _refuse_foreign(first, path)
        if not first.startswith((_GZIP, _ZSTD)):
            yield source
            return
        decompress = _open_gzip if first.startswith(_GZIP) else _open_zstd
        content = opened.enter_context(decompress(source))
        inside = _first_bytes(content)
        if inside.startswith((_GZIP, _ZSTD)):
            raise FormatError("is compressed twice; unpack it once", path_name(path))
        _refuse_foreign(inside, path)
        yield content


def _refuse_foreign(first: bytes, path: PathLike) -> None:
    foreign = foreign_content(first)
    if foreign is not None:
        raise FormatError(foreign, path_name(path))


def _open_source(path: PathLike) -> AbstractContextManager[IO[bytes]]:
    if isinstance(path, Kept):
        return path.open()
    note_input(path)
    if os.fspath(path) == "-":
        return nullcontext(sys.stdin.buffer)  # not closed: it belongs to the process
    return open(path, "rb")  # noqa: PTH123 - pathlib is slow to import


def _first_bytes(source: IO[bytes]) -> bytes:
    peek = getattr(source, "peek", None)
    return b"" if peek is None else bytes(peek(N_FIRST)[:N_FIRST])


def _open_gzip(source: IO[bytes]) -> BinaryIO:
    try:
        from isal import igzip  # three times as fast, where it is installed
    except ImportError:
        import gzip

        return cast("BinaryIO", gzip.open(source))
    return cast("BinaryIO", igzip.open(source))


def _open_zstd(source: IO[bytes]) -> BinaryIO:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd

            return cast("BinaryIO", zstd.open(source))
        import zstandard
    except ImportError:
        raise MissingExtraError("Reading zstd", "zstd") from None
    return cast("BinaryIO", io.BufferedReader(_Frames(source, zstandard.ZstdDecompressor())))


class _Frames(io.RawIOBase):
    """The content of zstd frames, one after the other; raises if the last one is cut off."""

    def __init__(self, source: IO[bytes], library: zstandard.ZstdDecompressor) -> None:
        self._source = source
        self._library = library
        self._frame = library.decompressobj()
        self._is_within = False  # a frame has begun
        self._compressed = b""
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # as it is called
        while not self._content:
            if not self._compressed:
                self._compressed = self._source.read(_COMPRESSED_PIECE)
            if not self._compressed:
                if self._is_within:
                    raise EOFError("Compressed file ended before its end was reached")
                return 0
            self._is_within = True
            self._content = memoryview(self._frame.decompress(self._compressed))
            self._compressed = b""
            if self._frame.eof:
                self._compressed = self._frame.unused_data
                self._frame = self._library.decompressobj()
                self._is_within = False
        size = min(len(buffer), len(self._content))
        buffer[:size] = self._content[:size]
        self._content = self._content[size:]
        return size
