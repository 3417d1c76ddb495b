"""Judging projects and imports of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from berryeval.client.connection import Record, Resource

__all__ = ["Imports", "Projects"]

_PROJECT = "/v1/projects/{name}"
_IMPORT = "/v1/imports/{import_id}"
_AT_ONCE = 1000


class Projects(Resource):
    """Judging as a team: pairs, judges, progress, agreement."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/projects")

    def create(
        self,
        name: str,
        kind: str = "holes",
        runs: str | Sequence[str] = (),
        *,
        baseline: str | None = None,
        verdict: int | None = None,
        depth: int = 10,
        limit: int | None = None,
        n_opinions: int = 1,
        judges: Sequence[str] | None = None,
        **options: Any,  # noqa: ANN401 - of the service
    ) -> Record:
        """Start a project, whose pairs are selected now and never change.

        Parameters
        ----------
        kind : {"holes", "deciding", "depth", "sample"}
            Unjudged documents of the runs, those that could change the difference from the
            baseline or a verdict, all documents of the runs, or a random sample of these.
        runs : str or sequence of str
            Ids of runs, or names of baselines.
        limit : int, optional
            The largest number of pairs; the size of a sample.
        n_opinions : int
            Number of judges for each pair.
        judges : sequence of str, optional
            Their names. Default: every caller who may judge.
        **options
            ``measure``, ``seed``, ``shows_grades``, ``shows_systems`` and ``guideline``.
        """
        pairs: dict[str, Any] = {
            "kind": kind,
            "runs": [runs] if isinstance(runs, str) else [*runs],
            "baseline": baseline,
            "verdict": verdict,
            "depth": depth,
            "limit": limit,
            **{key: options.pop(key) for key in ("measure", "seed") if key in options},
        }
        body = {
            "name": name,
            "pairs": pairs,
            "n_opinions": n_opinions,
            "judges": None if judges is None else [*judges],
            **options,
        }
        return self._connection.ask("POST", "/v1/projects", body=body)

    def get(self, name: str) -> Record:
        """Return a project and its progress by judge."""
        return self._connection.ask("GET", _PROJECT, {"name": name})

    def set_state(self, name: str, state: str) -> Record:
        """Give a project the state ``"running"``, ``"paused"`` or ``"finished"``."""
        return self._connection.ask(
            "PUT", f"{_PROJECT}/state", {"name": name}, body={"state": state}
        )

    def remove(self, name: str) -> None:
        """Remove a project; its judgments are kept."""
        self._connection.ask("DELETE", _PROJECT, {"name": name})

    def pairs(self, name: str, show: str = "all") -> Iterator[Record]:
        """Iterate over pairs with their answers, in the order of the queue.

        ``show`` is ``"all"``, ``"open"`` for those that the caller can still answer,
        ``"conflicts"``, or ``"refused"`` for those that a judge cannot judge.
        """
        start = 0
        while True:
            query = {"show": show, "start": start, "limit": _AT_ONCE}
            found = self._connection.ask("GET", f"{_PROJECT}/pairs", {"name": name}, query=query)
            yield from found["items"]
            start += _AT_ONCE
            if start >= found["n_found"]:
                return

    def answer(
        self, name: str, answers: Iterable[tuple[str, str, float | None] | dict[str, Any]]
    ) -> Record:
        """Store answers of the caller: query, document and grade, or dicts with a ``note``.

        The grade None means that the caller cannot judge the document.
        """
        keys = ("query_id", "doc_id", "grade")
        given: list[dict[str, Any]] = [
            one if isinstance(one, dict) else dict(zip(keys, one, strict=True)) for one in answers
        ]
        body = {"answers": given}
        return self._connection.ask("POST", f"{_PROJECT}/answers", {"name": name}, body=body)

    def settle(
        self,
        name: str,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        note: str | None = None,
        revision: int | None = None,
    ) -> Record:
        """Settle a disagreement; `revision` is that of the judgment that the caller saw."""
        body = {
            "query_id": query_id,
            "doc_id": doc_id,
            "grade": grade,
            "note": note,
            "revision": revision,
        }
        return self._connection.ask("POST", f"{_PROJECT}/settle", {"name": name}, body=body)

    def agreement(self, name: str) -> Record:
        """Return how well the judges of a project agree, in pairs and by category."""
        return self._connection.ask("GET", f"{_PROJECT}/agreement", {"name": name})


class Imports(Resource):
    """Imported files of judgments, newest first."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/imports")

    def get(self, import_id: int) -> Record:
        """Return an import."""
        return self._connection.ask("GET", _IMPORT, {"import_id": str(import_id)})

    def undo(self, import_id: int) -> Record:
        """Undo an import; ``n_kept`` pairs are kept, which judges have graded since."""
        return self._connection.ask("POST", f"{_IMPORT}/undo", {"import_id": str(import_id)})
