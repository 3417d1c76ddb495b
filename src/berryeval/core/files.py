"""Files that are written whole or not at all."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from contextlib import suppress

from berryeval.errors import FormatError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file under another name, and give it its own when all of it is on the disk.

    What stood there before stays until then, and stays for good if anything fails. A name that
    ends in ``.gz`` is compressed.

    Raises
    ------
    FormatError
        If the file cannot be written, with the system's reason.
    """
    name = os.fspath(path)
    partial = f"{name}.partial"
    try:
        with open(partial, "wb") as file:  # noqa: PTH123 - pathlib is slow to import
            if name.endswith(".gz"):
                # No time and no name inside: the same content gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
                    compressed.writelines(pieces)
            else:
                file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, name)  # noqa: PTH105
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", name) from error
    finally:
        with suppress(OSError):
            os.remove(partial)  # noqa: PTH107
