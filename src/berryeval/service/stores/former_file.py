"""The file of documents that earlier versions kept next to an archive."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from berryeval.archive import Archive
from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id
from berryeval.errors import ArchiveError

__all__ = ["move_documents"]


def move_documents(path: Path, archive: Archive) -> None:
    """Move stores and their documents into an archive, and rename the file, if there is one.

    Each step can be repeated: if the process ends before the file is renamed, the next start moves
    the same documents again.

    Raises
    ------
    ArchiveError
        If the file cannot be read.
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT number, name, kind, settings FROM stores").fetchall()
            for number, name, kind, settings in rows:
                found = database.execute(
                    "SELECT doc_id, text, title FROM documents WHERE store = ? ORDER BY number",
                    (number,),
                )
                documents = [
                    Document(decode_id(doc_id), decode_id(text), decode_id(title))
                    for doc_id, text, title in found
                ]
                # What the archive has of it so far is the summary of its latest evaluation.
                archive.stores.create(name, kind, json.loads(settings))
                archive.stores.put_documents(name, documents)
        path.rename(path.with_name(f"{path.name}.moved"))
    except (sqlite3.Error, OSError, ValueError, TypeError) as error:
        way_out = "restore it from a backup, or remove it if its documents are not needed"
        raise ArchiveError(str(path), f"cannot be read: {error}; {way_out}") from error
