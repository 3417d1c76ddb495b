"""What files may hold that is not read, recognised by its first bytes, and the way out."""

from __future__ import annotations

import re

__all__ = ["N_FIRST", "foreign_content"]

N_FIRST = 256
"""How many bytes are looked at."""

_MAGIC = (
    (b"\xfd7zXZ\x00", "is compressed with xz", "unxz"),
    (b"\x04\x22\x4d\x18", "is compressed with lz4", "lz4 -d"),
    (b"\xff\x06\x00\x00sNaPpY", "is compressed with snappy", "snzip -d"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", "7z x"),
    (b"Rar!\x1a\x07", "is a RAR archive", "unrar x"),
)
"""First bytes, what it is, and what unpacks it; the headers of all of them have zero bytes."""

_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")

_ZIP = b"PK\x03\x04"
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
    """Return what a file is and the way out, if its first bytes are of something not read.

    None for text, for what is read, and for what nobody recognises. Ids may be any bytes, so
    first bytes alone are not enough: text has no zero bytes, and binary headers do.
    """
    if _BZIP2.match(first):
        return _compressed("is compressed with bzip2", "bunzip2")
    if b"\x00" not in first:
        return None
    for magic, what, command in _MAGIC:
        if first.startswith(magic):
            return _compressed(what, command)
    if first.startswith(_ZIP):
        return (
            "is a ZIP archive, as Excel workbooks are; unpack it first (`unzip`), or save the "
            "sheet as CSV"
        )
    encoding = _encoding(first)
    if encoding is not None:
        return (
            f"is {encoding} text; expected UTF-8: "
            f"`iconv -f {encoding} -t UTF-8 FILE > NEW` converts it"
        )
    return None


def _compressed(what: str, command: str) -> str:
    return f"{what}, which is not read; unpack it first (`{command}`), or use gzip or zstd"


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
