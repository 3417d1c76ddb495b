"""The texts of documents, by name: files of Markdown or text, or JSON lines."""

from __future__ import annotations

from pathlib import Path

from berryeval.core.inputs import note_input
from berryeval.errors import FormatError
from berryeval.formats.corpus import iter_documents

__all__ = ["SOURCE_ENDINGS", "is_source", "read_sources", "read_texts"]

SOURCE_ENDINGS = (".md", ".markdown", ".txt")


def read_sources(folder: str | Path) -> dict[str, str]:
    """Return the Markdown and text files of a folder and its subfolders, by name.

    Names are paths below the folder, with ``/`` on every platform, in their order. The path of a
    single file is also accepted.

    Raises
    ------
    FormatError
        If there is no such file, or it is not UTF-8.
    """
    root = Path(folder)
    if root.is_file():
        return {root.name: _read(root)}
    paths = sorted(
        (path.relative_to(root).as_posix(), path)
        for path in root.rglob("*")
        if path.suffix.lower() in SOURCE_ENDINGS and path.is_file()
    )
    if not paths:
        raise FormatError.unexpected("a folder with Markdown or text files", "none", str(folder))
    return {name: _read(path) for name, path in paths}


def is_source(path: str | Path) -> bool:
    """Whether a path is a folder, or a file of Markdown or text."""
    return Path(path).is_dir() or str(path).lower().endswith(SOURCE_ENDINGS)


def read_texts(path: str | Path) -> dict[str, str]:
    """Return the documents of a folder or a file, by name: Markdown, text or JSON lines."""
    if is_source(path):
        return read_sources(path)
    return {document.doc_id: document.text for document in iter_documents(path)}


def _read(path: Path) -> str:
    note_input(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError.unexpected("UTF-8", f"other bytes at {error.start}", str(path)) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from error
