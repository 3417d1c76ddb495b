"""The queries that are judged, and can therefore be scored."""

from __future__ import annotations

import os

from berryeval.core.id_column import encode_id
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, MismatchError
from berryeval.formats import beir, read_judgments, read_queries

__all__ = ["read_judged_queries"]


def read_judged_queries(
    queries: str | os.PathLike[str],
    judgments: str | os.PathLike[str] | None = None,
    *,
    split: str | None = None,
) -> list[Query]:
    """Read the queries that have judgments, in the order of their file.

    Parameters
    ----------
    queries : path
        A file, or the folder of a golden set or a BEIR folder.
    judgments : path, optional
        A file, or such a folder. Default: the judgments in the folder of the queries.
    split : str, optional
        The split of a BEIR folder. Default: ``"test"``.

    Raises
    ------
    ArgumentError
        If there are no judgments, or no splits.
    MismatchError
        If no query is judged.
    """
    path = queries if judgments is None else judgments
    if split is not None and not beir.has_splits(path):
        raise ArgumentError("split", f"a folder with qrels/{split}.tsv", repr(os.fspath(path)))
    if judgments is None and not os.path.isdir(queries):  # noqa: PTH112
        expected = "a file, since the queries are not in a folder with judgments"
        raise ArgumentError("judgments", expected, "none")
    judged = read_judgments(path, split=split or "test")
    known = read_queries(queries)
    found = [query for query in known if judged.grades_of(encode_id(query.query_id))]
    if not found:
        message = f"{os.fspath(path)}: none of the {len(known):,} queries is judged"
        raise MismatchError(f"{message}; check that both files use the same query ids")
    return found
