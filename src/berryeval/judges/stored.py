"""Grades in a file as a judge: those of another tool, or of a model that judged elsewhere."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.formats import read_judgments
from berryeval.judges.protocol import Opinion, Scale

__all__ = ["StoredJudge"]


class StoredJudge:
    """A file of judgments, in any format. It cannot judge pairs that are not in the file.

    Parameters
    ----------
    path : path
        The file.
    name : str, optional
        The name under which grades are stored. Default: the name of the file.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        self.name = name or Path(path).name
        self._grades = read_judgments(path).to_dict()
        self._digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]

    def fingerprint(self) -> Mapping[str, str]:
        """Return the name and a hash of the file."""
        return {"judge": self.name, "file": self._digest}

    def judge(
        self,
        query: Query,
        intent: str | None,  # noqa: ARG002 - as every judge
        document: Document,
        guideline: str,  # noqa: ARG002
        scale: Scale,
    ) -> Opinion:
        """Look the pair up by its ids."""
        grade = self._grades.get(query.query_id, {}).get(document.doc_id)
        if grade is None or grade < 0:  # below 0: in the pool, not judged
            return Opinion(None, f"not in {self.name}")
        return Opinion.of(grade, scale)
