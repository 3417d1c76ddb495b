"""Files of ranx that end in ``.lz4``: ``{"q1": {"d7": 2.5}}`` in CBOR, compressed twice with lz4.

Queries, their documents, and the scores or grades of these, as in a JSON object
(`berryeval.formats.json_object`). Requires the package lz4.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import shown_id
from berryeval.errors import FormatError, InputError, MissingExtraError
from berryeval.formats._foreign import is_ranx_lz4
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.limits import check_content
from berryeval.formats.lines import PathLike, path_name, read_content
from berryeval.formats.platforms._cbor import CborReader, write_map
from berryeval.formats.rows import Row, parse_number, refuse_subtopics

__all__ = ["HOLDS", "iter_rows", "sniff", "to_lines"]

HOLDS = Capabilities(("run", "judgments"), ("run", "judgments"))

_PIECE = 1 << 20
_LEVEL = 16  # as in ranx


def sniff(beginning: Beginning) -> bool:
    """Whether it is a frame of lz4 in a frame of lz4."""
    return is_ranx_lz4(beginning.text)


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file, which has no lines."""
    frame = _import_lz4("Reading lz4")
    name = path_name(path)
    reader = CborReader(_unpacked(frame, _unpacked(frame, read_content(path), name), name))
    try:
        for _ in range(reader.map_size()):
            query_id = reader.text()
            for _ in range(reader.map_size()):
                doc_id, number = reader.text(), reader.number()
                if not query_id or not doc_id:
                    raise FormatError.unexpected("an id", "''", name)
                yield None, query_id, doc_id, parse_number(number, kind, path, None)
        if not reader.is_done:
            raise FormatError.unexpected("one CBOR map", "more", name)
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"expected a CBOR map of queries: {error}", name) from None


def _unpacked(frame: Any, content: bytes, name: str) -> bytes:  # noqa: ANN401 - a module
    """Return what a frame holds, within the limits on content."""
    pieces, n_bytes = [], 0
    decompressor = frame.LZ4FrameDecompressor()
    while not decompressor.eof:
        try:
            piece = decompressor.decompress(content, max_length=_PIECE)
        except (EOFError, RuntimeError) as error:
            raise _damaged(str(error), name) from None
        if not piece and not decompressor.eof:
            raise _damaged("it ends too early", name)
        content = b""
        n_bytes += len(piece)
        check_content(n_bytes, name)
        pieces.append(piece)
    return b"".join(pieces)


def _damaged(why: str, name: str) -> FormatError:
    message = f"cannot be read: damaged or truncated lz4 ({why}); write the file again"
    return FormatError(message, name)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Return the whole file, in one piece. Raises `InputError` for ids that are not UTF-8."""
    refuse_subtopics(data, "a file of ranx")
    frame = _import_lz4("Writing lz4")
    queries = (
        (query_id, [(data.doc_ids.bytes_at(row), data.values[row]) for row in rows])
        for query_id, rows in data.iter_queries()
    )
    try:
        content = b"".join(write_map(queries, data.n_queries))
    except UnicodeDecodeError as error:
        raise InputError(f"a ranx file cannot hold the id {shown_id(error.object)}") from None
    yield frame.compress(frame.compress(content, compression_level=_LEVEL))


def _import_lz4(what: str) -> Any:  # noqa: ANN401 - a module
    try:
        return import_module("lz4.frame")
    except ImportError:
        raise MissingExtraError(what, "lz4") from None
