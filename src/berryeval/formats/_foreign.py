"""Unsupported file types, recognised by their first bytes, and how to convert them."""

from __future__ import annotations

import re

__all__ = ["N_FIRST", "foreign_content", "is_ranx_lz4"]

N_FIRST = 512
"""Number of bytes to examine."""


def _unpack(what: str, command: str) -> str:
    return f"{what}, which is not supported; unpack it first (`{command}`), or use gzip or zstd"


_PICKLE = "is a Python pickle, which could run any code; save a dict with json.dump instead"
_BINARY = (
    (b"\xfd7zXZ\x00", _unpack("is compressed with xz", "unxz")),
    (b"\x04\x22\x4d\x18", _unpack("is compressed with lz4", "lz4 -d")),
    (b"\x02\x21\x4c\x18", _unpack("is compressed with lz4", "lz4 -d")),
    (b"\xff\x06\x00\x00sNaPpY", _unpack("is compressed with snappy", "snzip -d")),
    (b"7z\xbc\xaf\x27\x1c", _unpack("is a 7z archive", "7z x")),
    (b"Rar!\x1a\x07", _unpack("is a RAR archive", "unrar x")),
    (
        b"PK\x03\x04",
        "is a ZIP archive, as Excel workbooks are; unpack it first (`unzip`), or save the sheet "
        "as CSV",
    ),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Excel workbook; save the sheet as CSV"),
    (
        b"SQLite format 3\x00",
        "is an SQLite database; export what it holds, an archive with `berryeval archive export`",
    ),
    (b"\x80\x04\x95", _PICKLE),
    (b"\x80\x05\x95", _PICKLE),
    (b"\x93NUMPY", "is a NumPy array; pass arrays to `berryeval.evaluate` in Python"),
    (b"\x7fELF", "is a program; expected judgments or a run"),
)
"""First bytes, what it is, and the way out; the headers of all of them have zero bytes."""

_LZ4 = b"\x04\x22\x4d\x18"
_LZ4_HEADER = 7
"""Bytes of the shortest header of a frame."""
_LZ4_BLOCK = 24
"""Bytes after it in which the content begins: sizes, checksums, and the length of literals."""

_TAR = b"ustar"
_TAR_PLACE = 257

_OTHER = (
    (re.compile(rb"BZh[1-9]1AY&SY"), _unpack("is compressed with bzip2", "bunzip2")),
    (re.compile(rb"%PDF-\d"), "is a PDF document; convert it to text first (`pdftotext`)"),
    (
        re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE),
        "is an HTML page, perhaps an error message of the server that it came from; download the "
        "file again",
    ),
    (
        re.compile(rb"version https://git-lfs\."),
        "is a Git LFS pointer, not the file itself; fetch the file with `git lfs pull`",
    ),
)
"""How a file begins, what it is, and the way out; these need not have zero bytes."""

_MOST = 0.8
"""Share of the high bytes that are zero in UTF-16 text of mostly ASCII."""
_ENCODINGS = (
    # UTF-32 first: in little endian its mark begins with that of UTF-16.
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def foreign_content(first: bytes) -> str | None:
    """Return the type of an unsupported file and how to convert it, judging by its first bytes.

    None for text, for what is read, and for what is not recognised. Ids may be any bytes, so
    first bytes alone are not enough: text has no zero bytes, and binary headers do.
    """
    for beginning, message in _OTHER:
        if beginning.match(first):
            return message
    if b"\x00" not in first or is_ranx_lz4(first):
        return None
    for magic, message in _BINARY:
        if first.startswith(magic):
            return message
    if first.startswith(_TAR, _TAR_PLACE):
        return _unpack("is a tar archive", "tar -xf")
    encoding = _encoding(first)
    if encoding is None:
        return None
    return f"is {encoding} text; expected UTF-8: `iconv -f {encoding} -t UTF-8 FILE > NEW`"


def is_ranx_lz4(first: bytes) -> bool:
    """Whether a file with this beginning is one of ranx: compressed with lz4, twice.

    The second frame cannot be compressed, so it stands in the first one nearly as it is.
    """
    return first.startswith(_LZ4) and _LZ4 in first[_LZ4_HEADER : _LZ4_HEADER + _LZ4_BLOCK]


def _encoding(first: bytes) -> str | None:
    """Return UTF-16 or UTF-32 for text in it; blanks and digits have zero bytes there."""
    marked = next((name for mark, name in _ENCODINGS if first.startswith(mark)), None)
    if marked is not None:
        return marked
    even, odd = first[0::2], first[1::2]
    for empty, full in ((even, odd), (odd, even)):  # big endian, little endian
        if empty.count(0) > _MOST * len(empty) and 0 not in full:
            return "UTF-16"
    return None
