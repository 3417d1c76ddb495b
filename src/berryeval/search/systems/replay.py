"""A stored run as a system, which returns the stored rankings."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping

from berryeval.core.id_column import encode_id
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, SystemUnderTestError
from berryeval.formats import read_run
from berryeval.search.hits import Hit, best_hits, check_k
from berryeval.search.system import System

__all__ = ["Replay"]


class Replay(System):
    """Answers queries from a run.

    Parameters
    ----------
    run : Run, path, or mapping
        The stored rankings. Mappings go from query id to document id to score.
    queries : iterable of Query
        The queries of the run, which map texts to ids. Any other text is used as an id.
    name : str, optional
        Name of the system in messages.

    Raises
    ------
    ArgumentError
        If two queries have the same text but different hits, since only one could be returned.
    """

    def __init__(
        self,
        run: Run | str | os.PathLike[str] | Mapping[str, Mapping[str, float]],
        queries: Iterable[Query] = (),
        *,
        name: str = "replay",
    ) -> None:
        if isinstance(run, Mapping):
            run = Run.from_dict(run)
        self.name = name
        self.run = run if isinstance(run, Run) else read_run(run)
        self._id_of: dict[str, str] = {}
        for query in queries:
            known = self._id_of.setdefault(query.text, query.query_id)
            if not self._are_equal(known, query.query_id):
                expected = "texts that identify the queries of the run"
                found = f"{query.text!r} for {known!r} and {query.query_id!r}"
                raise ArgumentError("queries", expected, found)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the first k stored hits.

        A query of `queries` that is missing from the run has no hits, since a run file cannot
        contain a query without hits.

        Raises
        ------
        SystemUnderTestError
            If the query is in neither.
        """
        check_k(k)
        query_id = self._id_of.get(query, query)
        if query not in self._id_of and query_id not in self.run:
            raise SystemUnderTestError(self.name, f"the run has no query {query_id!r}")
        rows = self.run.rows_of(encode_id(query_id))
        return best_hits(((self.run.doc_ids[row], self.run.scores[row]) for row in rows), k)

    def _are_equal(self, one: str, other: str) -> bool:
        """Whether two queries have the same hits; a system receives texts, not ids."""
        hits = [
            [(self.run.doc_ids[row], self.run.scores[row]) for row in self.run.rows_of(id_bytes)]
            for id_bytes in map(encode_id, (one, other))
        ]
        return one == other or hits[0] == hits[1]

    def fingerprint(self) -> dict[str, str]:
        """Return a hash of the run, so that different hits have different fingerprints."""
        digest = hashlib.sha256()
        for part in (
            self.run.query_ids.data,
            self.run.starts.tobytes(),
            self.run.doc_ids.data,
            self.run.doc_ids.offsets.tobytes(),
            self.run.scores.tobytes(),
        ):
            digest.update(part)
        return {"system": "replay", "run": digest.hexdigest()[:16]}
