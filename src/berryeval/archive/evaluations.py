"""The evaluations of an archive: scores of runs with judgments that a hash identifies."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, Select, select

from berryeval.archive.checks import check_id
from berryeval.archive.clock import moment_after
from berryeval.archive.columns import Column, decode, encode
from berryeval.archive.database import Database
from berryeval.archive.documents import ArchivedDocuments
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.archive.paging import ArchivePart
from berryeval.archive.queries import ArchivedQueries
from berryeval.archive.records import Page, StoredEvaluation, StoredRun, TrendPoint
from berryeval.archive.runs import ArchivedRuns
from berryeval.archive.tables import evaluations, runs
from berryeval.core.id_column import IdColumn, encode_id
from berryeval.core.scores import QueryCounts, Scores
from berryeval.engine import MissingQueries, NoRelevant
from berryeval.errors import MismatchError, NotFoundError
from berryeval.evaluation import Evaluation, evaluate
from berryeval.evaluation.baseline import SCORE_SEMANTICS
from berryeval.evaluation.evaluate import DEFAULT_MEASURES, MeasureLike, read_measure, read_measures
from berryeval.measures import Measure, parse_measure

__all__ = ["ArchivedEvaluations", "scores_of"]


class ArchivedEvaluations(ArchivePart):
    """Evaluations by id. The same run, judgments, measures and options give the same id.

    Stored scores do not depend on the weights of queries, which may change: weighted means are
    computed on reading.
    """

    def __init__(
        self,
        database: Database,
        judgments: ArchivedJudgments,
        queries: ArchivedQueries,
        documents: ArchivedDocuments,
        archived_runs: ArchivedRuns,
    ) -> None:
        super().__init__(database)
        self._judgments = judgments
        self._queries = queries
        self._documents = documents
        self._runs = archived_runs

    def score(
        self,
        run_id: str,
        measures: Iterable[MeasureLike] | MeasureLike = DEFAULT_MEASURES,
        *,
        at: str | datetime | None = None,
        missing: MissingQueries | None = None,
        no_relevant: NoRelevant = "zero",
    ) -> StoredEvaluation:
        """Score a run, unless it is already scored with the same judgments.

        Parameters
        ----------
        at : str or datetime, optional
            Judgments to use: a hash, or a time. Default: the current ones.
        measures, missing, no_relevant
            As for `berryeval.evaluate`. If omitted, `missing` is ``"skip"`` for the evaluation of a
            store, which has the queries that were sent, and otherwise ``"zero"``.

        Raises
        ------
        NotFoundError
            If there is no such run, or no such judgments.
        InputError
            If a measure requires subtopics, lengths of documents or times of queries, and the
            archive has none.
        MismatchError
            If no query of the run is judged.
        """
        wanted = read_measures(measures)
        judgments, hashed = self._judgments.as_of(at)
        missing = missing or self._runs.missing_of(run_id)
        options = {"missing": missing, "no_relevant": no_relevant}
        lengths = self._hash_of_lengths(run_id, wanted)
        stored = self.get(_id_of(run_id, hashed, wanted, options, lengths))
        if stored is not None:
            return stored
        run = self._runs.load(run_id)
        judgments = self._documents.with_lengths(judgments, wanted, [run])
        found = evaluate(judgments, run, wanted, missing=missing, no_relevant=no_relevant)
        return self.put(run_id, found, judgments_hash=hashed, lengths_hash=lengths, **options)

    def _hash_of_lengths(self, run_id: str, measures: Iterable[Measure]) -> str | None:
        """Return the hash of the lengths of what a run retrieved; None if no measure looks at them.

        Lengths may change, and are not part of the hash of judgments.
        """
        if not any(measure.uses_lengths for measure in measures):
            return None
        found = self._documents.lengths(set(self._runs.load(run_id).doc_ids))
        return hashlib.sha256(json.dumps(sorted(found.items())).encode()).hexdigest()

    def put(
        self,
        run_id: str,
        evaluation: Evaluation,
        *,
        judgments_hash: str,
        lengths_hash: str | None = None,
        missing: str = "zero",
        no_relevant: str = "zero",
    ) -> StoredEvaluation:
        """Store an evaluation of a run; storing it again changes nothing.

        Evaluations that look at different lengths of documents are different ones.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        check_id(run_id, "run_id")
        options = {"missing": missing, "no_relevant": no_relevant}
        evaluation_id = _id_of(run_id, judgments_hash, evaluation.measures, options, lengths_hash)
        row: dict[str, Any] = {
            "evaluation_id": evaluation_id,
            "run_id": run_id,
            "judgments_hash": check_id(judgments_hash, "judgments_hash"),
            "facts": {
                "measures": [str(measure) for measure in evaluation.measures],
                "means": Evaluation(evaluation.scores, evaluation.measures).to_dict(),
                "holes": {name: result.holes for name, result in evaluation.items()},
                "n_queries": evaluation.n_queries,
                "counts": asdict(evaluation.counts),
                "cautions": list(evaluation.cautions),
                **options,
            },
            "scores": b"".join(encode(_columns(evaluation.scores))),
        }
        with self._database.writing(alone="runs") as connection:
            row["created_at"] = moment_after(connection, evaluations.c.created_at)
            if connection.scalar(select(runs.c.run_id).where(runs.c.run_id == run_id)) is None:
                raise NotFoundError("run", run_id)
            self._database.insert_new(connection, evaluations, row)
            rows = _rows().where(evaluations.c.evaluation_id == evaluation_id)
            stored = _stored(connection.execute(rows).one())
        return self._weighed(stored)

    def get(self, evaluation_id: str) -> StoredEvaluation | None:
        """Return the means of an evaluation; None if it does not exist."""
        check_id(evaluation_id, "evaluation_id")
        rows = _rows().where(evaluations.c.evaluation_id == evaluation_id)
        found = self._one(rows, _stored)
        return None if found is None else self._weighed(found)

    def _weighed(self, stored: StoredEvaluation) -> StoredEvaluation:
        """Return an evaluation with means by the current weights, if queries have any."""
        if not self._queries.sampling():
            return stored
        found = self._load(stored.evaluation_id)
        if found is None or found.weights is None:
            return stored
        return replace(stored, means=found.to_dict(), effective_queries=found.effective_queries)

    def load(self, evaluation_id: str) -> Evaluation:
        """Return an evaluation with the score of every query, and its queries for slices.

        Raises
        ------
        NotFoundError
            If it does not exist.
        """
        found = self._load(check_id(evaluation_id, "evaluation_id"))
        if found is None:
            raise NotFoundError("evaluation", evaluation_id)
        return found

    def find(
        self,
        run_id: str,
        measures: Iterable[MeasureLike] | MeasureLike,
        *,
        judgments_hash: str,
        missing: MissingQueries | None = None,
        no_relevant: NoRelevant = "zero",
    ) -> Evaluation | None:
        """Return the evaluation of a run with some judgments, as `load` does; None without one."""
        missing = missing or self._runs.missing_of(run_id)
        options = {"missing": missing, "no_relevant": no_relevant}
        wanted = read_measures(measures)
        lengths = self._hash_of_lengths(run_id, wanted)
        return self._load(_id_of(run_id, judgments_hash, wanted, options, lengths))

    def _load(self, evaluation_id: str) -> Evaluation | None:
        c = evaluations.c
        rows = select(c.facts, c.scores).where(c.evaluation_id == evaluation_id)
        queries = self._queries.all()
        return self._one(
            rows,
            lambda row: Evaluation(
                scores_of(decode([row.scores]), row.facts),
                _measures(row.facts),
                queries,
                cautions=row.facts.get("cautions", ()),
            ),
        )

    def trend(
        self,
        measure: MeasureLike,
        *,
        name: str | None = None,
        at: str | datetime | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[TrendPoint, ...]:
        """Return a measure for all runs, as `Archive.trend` does."""
        chosen = read_measure(measure)
        # Resolved once, so that concurrent judging does not change it in between.
        _, hashed = self._judgments.as_of(at)
        points = []
        for run in self._runs.directory(name=name):
            check()
            points.append(self._point(run, chosen, hashed))
        return tuple(points)

    def _point(self, run: StoredRun, measure: Measure, hashed: str) -> TrendPoint:
        try:
            found = self.score(run.run_id, measure, at=hashed)
        except MismatchError as error:
            return TrendPoint(run, None, None, str(error))
        mean = found.means[str(measure)]
        return TrendPoint(run, mean, found.evaluation_id, n_queries=found.n_queries)

    def page(
        self,
        *,
        run_id: str | None = None,
        judgments_hash: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[StoredEvaluation]:
        """Return evaluations, newest first: all, those of a run, or those with some judgments."""
        rows = _rows()
        if run_id is not None:
            rows = rows.where(evaluations.c.run_id == check_id(run_id, "run_id"))
        if judgments_hash is not None:
            hashed = check_id(judgments_hash, "judgments_hash")
            rows = rows.where(evaluations.c.judgments_hash == hashed)
        keys = (evaluations.c.created_at, evaluations.c.evaluation_id)
        page = self._page(rows, keys, _stored, after=after, limit=limit, descending=True)
        return replace(page, items=tuple(map(self._weighed, page.items)))


def _id_of(
    run_id: str,
    judgments_hash: str,
    measures: Sequence[Measure],
    options: Mapping[str, str],
    lengths_hash: str | None,
) -> str:
    parts = [SCORE_SEMANTICS, run_id, judgments_hash, [str(m) for m in measures], options]
    if lengths_hash is not None:
        parts.append(lengths_hash)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _columns(scores: Scores) -> dict[str, Column]:
    return {
        "query_ids": scores.query_ids,
        "is_missing": array("Q", map(int, scores.is_missing)),
        "lacks_relevant": array("Q", map(int, scores.lacks_relevant)),
        "ignored_ids": IdColumn.of(map(encode_id, scores.ignored_ids)),
        **{f"scores {name}": values for name, values in scores.values.items()},
    }


def scores_of(columns: Mapping[str, Column], facts: Mapping[str, Any]) -> Scores:
    """Return the scores of a stored evaluation."""
    values = {
        name.removeprefix("scores "): cast("array[float]", column)
        for name, column in columns.items()
        if name.startswith("scores ")
    }
    return Scores(
        cast("IdColumn", columns["query_ids"]),
        values,
        QueryCounts(**facts["counts"]),
        [bool(one) for one in cast("array[int]", columns["is_missing"])],
        [bool(one) for one in cast("array[int]", columns["lacks_relevant"])],
        tuple(cast("IdColumn", columns["ignored_ids"])),
    )


def _measures(facts: dict[str, Any]) -> list[Measure]:
    return [parse_measure(name) for name in facts["measures"]]


def _rows() -> Select[Any]:
    c = evaluations.c
    return select(c.evaluation_id, c.run_id, c.judgments_hash, c.facts, c.created_at)


def _stored(row: Row[Any]) -> StoredEvaluation:
    facts = row.facts
    return StoredEvaluation(
        evaluation_id=row.evaluation_id,
        run_id=row.run_id,
        judgments_hash=row.judgments_hash,
        means=facts["means"],
        holes=facts["holes"],
        n_queries=facts["n_queries"],
        counts=QueryCounts(**facts["counts"]),
        missing=facts["missing"],
        no_relevant=facts["no_relevant"],
        created_at=row.created_at,
        cautions=tuple(facts.get("cautions", ())),
    )
