"""The example files that tutorials and how-to pages use, which the package includes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from berryeval.core.files import refuse_existing, write_whole
from berryeval.errors import NotFoundError

__all__ = ["copy_examples", "examples_folder"]

_PACKAGE = Path(__file__).parents[1]
_SKIPPED = frozenset((".pytest_cache", "__pycache__"))


def examples_folder() -> Path:
    """Return the folder of the examples.

    Raises
    ------
    NotFoundError
        If the package was installed without them.
    """
    # The second is that of a clone, whose package is installed in place.
    for folder in (_PACKAGE / "examples", _PACKAGE.parents[1] / "examples"):
        if (folder / "runs").is_dir():
            return folder
    raise NotFoundError("folder", str(_PACKAGE / "examples"))


def copy_examples(target: str | os.PathLike[str], *, force: bool = False) -> list[Path]:
    """Copy the examples into a folder, and return the copies.

    Parameters
    ----------
    target : path
        The folder, created if it does not exist. Its other files are kept.
    force : bool
        Whether to replace files that exist.

    Raises
    ------
    FormatError
        If one of the files exists, before any is written.
    """
    source, folder = examples_folder(), Path(target)
    copies = {folder / path.relative_to(source): path for path in _files(source)}
    for path in copies:
        if not force:
            refuse_existing(path)
    for path, original in copies.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(path), [original.read_bytes()])
    return list(copies)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _SKIPPED & {parent.name for parent in path.parents}:
            yield path
