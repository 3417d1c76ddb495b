"""Judgments: what is known about the relevance of documents."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeAlias

from berryeval.core.documents import Documents
from berryeval.core.grade import MAX_GRADE, check_grade
from berryeval.core.grouped import Duplicates, Grouped, Grouping
from berryeval.core.id_column import as_id, encode_id
from berryeval.core.intents import grades_by_intent
from berryeval.core.judging import JudgedRow, Judges, check_judges, reduce_grades
from berryeval.core.judgment_labels import (
    add_stratum,
    add_weight,
    check_strata,
    check_subtopic_weights,
)
from berryeval.core.lengths import check_lengths
from berryeval.core.origin import Origin
from berryeval.core.strata import grades_by_stratum
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["Judgments", "Opinion", "Subtopics", "collect_judged", "judgments_of_frame"]

Subtopics: TypeAlias = "dict[bytes, dict[bytes, dict[bytes, float]]]"
"""Query, document, subtopic, grade."""

_Label: TypeAlias = "tuple[bytes | None, bytes | None]"
"""Subtopic and judge."""

_Grades: TypeAlias = "float | dict[_Label, float]"
"""One grade without a label, as nearly all are, or grades by label."""


class Opinion(NamedTuple):
    """The grade that a judge gave a document, with source, time and note if the file has them."""

    judge: bytes | None
    grade: float
    source: bytes | None = None
    judged_at: bytes | None = None
    note: bytes | None = None
    subtopic: bytes | None = None


class Judgments(Grouped):
    """A grade for each judged pair of query and document; qrels in TREC terms.

    A document is relevant if its grade reaches the level that a measure requires, 1 by default.
    A grade of 0 means that the document was read and found not relevant. A grade below 0 means that
    it was in the pool but not judged, as in trec_eval: it is treated as a document without a
    judgment.

    Examples
    --------
    >>> judgments = Judgments.from_dict({"q1": {"d1": 2, "d2": 0}})
    >>> judgments
    <Judgments: 1 query, 2 documents>
    >>> judgments.to_dict()
    {'q1': {'d1': 2.0, 'd2': 0.0}}
    """

    subtopics: Subtopics = {}  # noqa: RUF012 - replaced, never changed
    """Grades by subtopic, of documents that have any; the grade of the document is their
    highest."""

    subtopic_weights: Mapping[bytes, Mapping[bytes, float]] = {}
    """Weights of subtopics by query, relative to other subtopics of the query. Default: 1."""

    strata: Mapping[bytes, Mapping[bytes, bytes]] = {}
    """The stratum of the pool that each document belongs to, by query and document; of documents
    for which it is known. Documents with a negative grade are in the stratum, but not in its
    sample."""

    opinions: Mapping[bytes, Mapping[bytes, Sequence[Opinion]]] = {}
    """The opinions of judges by query and document, in order, for documents for which a file names
    a judge, a source, a time or a note."""

    lengths: Mapping[bytes, float] = {}
    """Lengths of documents, judged or not, for measures that look at them; empty if unknown."""

    scale: float | None = None
    """The highest grade of the scale, where one is declared."""

    labels: tuple[str, ...] | None = None
    """What the grades mean, from 0 up, where that is declared."""

    judges: Judges | None = None
    """The rule for grades of several judges that the set declares; None if it declares none."""

    reduced: tuple[Judges, int] | None = None
    """The rule that chose among the grades of several judges, and for how many documents; None if
    no document has several."""

    is_kept_ready: bool = False
    """Whether the engine keeps its lookup tables of documents, for scoring many runs; they take
    about as much memory as the judgments."""

    @classmethod
    def collect(cls, rows: Grouping) -> Judgments:
        """Make judgments of the rows that were collected."""
        return cls(*rows.columns())

    @classmethod
    def from_dict(
        cls, judgments: Mapping[Any, Mapping[Any, float | Mapping[Any, float]]]
    ) -> Judgments:
        """Read a mapping from query id to a mapping from document id to grade.

        Ids are text, or whole numbers, which mean their decimal text. In place of a grade there
        may be a mapping from subtopic to grade.

        Examples
        --------
        >>> judgments = Judgments.from_dict({"q1": {"d1": {"animal": 2, "car": 0}, "d2": 0}})
        >>> judgments.to_dict()
        {'q1': {'d1': 2.0, 'd2': 0.0}}
        >>> judgments.subtopics
        {b'q1': {b'd1': {b'animal': 2.0, b'car': 0.0}}}
        """
        try:
            return cls.of_dict(judgments, "judgments", check_grade, MAX_GRADE)
        except InputTypeError:
            if not _is_nested(judgments):
                raise
        return _read_nested(judgments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Judgments):
            return NotImplemented
        return (
            super().__eq__(other)
            and self.subtopics == other.subtopics
            and self.subtopic_weights == other.subtopic_weights
            and self.strata == other.strata
        )

    __hash__ = None  # as in Grouped

    @classmethod
    def from_frame(
        cls, frame: object, *, duplicates: Duplicates = "error", judges: Judges = "first"
    ) -> Judgments:
        """Read a data frame with one row per judgment.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table, …
            Anything with columns, or with an Arrow stream (``__arrow_c_stream__``). The columns
            are called ``query_id``, ``doc_id`` and ``relevance``, or by another usual name; ids
            are text, categories or whole numbers. Rows are counted from 1 in messages.
        duplicates : {"error", "keep-best"}
            What to do with a document that occurs twice for one query.
        judges : {"first", "latest", "max", "mean", "majority"}
            Which grade counts if several judges (a column ``judge``) graded a document.
        """
        return judgments_of_frame(frame, duplicates, judges, Origin("frame", is_file=False))

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return a pyarrow.Table with one row per grade: query_id, doc_id, relevance.

        Judgments of subtopics have a fourth column, subtopic, and a fifth, subtopic_weight, if
        subtopics have weights. If documents have strata, the last column is stratum. Requires
        pyarrow (``pip install 'berryeval[frames]'``).
        """
        from berryeval.core.arrow_table import (
            table_of_grades,
            table_of_subtopics,
            with_strata_column,
        )

        if self.subtopics:
            table = table_of_subtopics(self.iter_grades(), self.subtopic_weights)
        else:
            table = table_of_grades(self.query_ids, self.starts, self.doc_ids, self.values)
        if not self.strata:
            return table
        names = [self.stratum_of(query, document) for query, document, *_ in self.iter_grades()]
        return with_strata_column(table, names)

    def with_subtopic_weights(self, weights: Mapping[Any, Mapping[Any, float]]) -> Judgments:
        """Return the judgments with weights of subtopics, for intent-aware measures.

        Parameters
        ----------
        weights : mapping of mappings
            Query id, subtopic, weight: finite numbers above 0, relative to other subtopics of the
            query, such as how often people mean them. Subtopics without one have the weight 1.

        Raises
        ------
        ArgumentError, InputTypeError
            For a query or a subtopic that the judgments do not have, or an invalid weight.

        Examples
        --------
        >>> judgments = Judgments.from_dict({"q1": {"d1": {"animal": 1}, "d2": {"car": 1}}})
        >>> weighted = judgments.with_subtopic_weights({"q1": {"animal": 3}})
        >>> weighted.subtopic_weights
        {b'q1': {b'animal': 3.0}}
        """
        weighted = copy(self)
        weighted.__dict__.pop("_intents", None)  # made ready with other weights
        weighted.subtopic_weights = check_subtopic_weights(weights, self.subtopics)
        return weighted

    def with_strata(self, strata: Mapping[Any, Mapping[Any, str | int]]) -> Judgments:
        """Return the judgments with the strata of sampled pools, for xinfAP and infNDCG.

        Parameters
        ----------
        strata : mapping of mappings
            Query id, document id, name of the stratum. Documents without one form a stratum of
            their own.

        Raises
        ------
        ArgumentError, InputTypeError
            For a query or a document that the judgments do not have, or an invalid name.

        Examples
        --------
        >>> judgments = Judgments.from_dict({"q1": {"d1": 1, "d2": 0, "d3": -1}})
        >>> sampled = judgments.with_strata({"q1": {"d1": "top", "d2": "rest", "d3": "rest"}})
        >>> sampled.strata
        {b'q1': {b'd1': b'top', b'd2': b'rest', b'd3': b'rest'}}
        """
        sampled = copy(self)
        sampled.__dict__.pop("_strata", None)  # made ready with other strata
        sampled.strata = check_strata(strata, self._pool_of)
        return sampled

    def release(self) -> None:
        """Drop the lookup tables of the engine, which are rebuilt when they are needed."""
        self.is_kept_ready = False
        for name in [name for name in self.__dict__ if name.startswith("_")]:
            self.__dict__.pop(name, None)  # another thread may release it, too

    def _pool_of(self, query_id: bytes) -> set[bytes]:
        rows = self.rows_of(query_id)
        return {*self.doc_ids.iter_bytes(rows.start, rows.stop)}

    def stratum_of(self, query_id: bytes, doc_id: bytes) -> bytes | None:
        """Return the stratum of a document; None if it has none."""
        return self.strata.get(query_id, {}).get(doc_id)

    def with_lengths(self, lengths: Documents | Mapping[Any, float]) -> Judgments:
        """Return the judgments together with the lengths of documents, for measures of reading.

        Parameters
        ----------
        lengths : Documents or mapping of str to float
            Documents that all have a length, or the length of each document: a number of at least
            0, in the unit of the measure. Every document that a measure looks at needs one, judged
            or not.

        Raises
        ------
        ArgumentError, InputTypeError
            For an invalid length, or documents without one.

        Examples
        --------
        >>> judgments = Judgments.from_dict({"q1": {"d1": 1}})
        >>> judgments.with_lengths({"d1": 120, "d9": 300}).lengths
        {b'd1': 120.0, b'd9': 300.0}
        """
        sized = copy(self)
        sized.__dict__.pop("_lengths", None)  # made ready with others
        sized.lengths = check_lengths(lengths)
        return sized

    def of_queries(self, query_ids: Collection[str]) -> Judgments:
        """Return the judgments of some of the queries."""
        own = {query: grades for query, grades in self.to_dict().items() if query in query_ids}
        kept = type(self).from_dict(own)
        ids = {encode_id(query) for query in own}
        kept.subtopics = {query: named for query, named in self.subtopics.items() if query in ids}
        kept.subtopic_weights = {
            query: own for query, own in self.subtopic_weights.items() if query in ids
        }
        kept.strata = {query: own for query, own in self.strata.items() if query in ids}
        kept.opinions = {query: own for query, own in self.opinions.items() if query in ids}
        kept.lengths = self.lengths
        kept.scale, kept.labels = self.scale, self.labels
        kept.judges, kept.reduced = self.judges, self.reduced
        return kept

    def iter_grades(self) -> Iterator[tuple[bytes, bytes, bytes | None, float]]:
        """Iterate over query, document, subtopic and grade.

        A document with subtopics occurs once for each of them, and once more without one if its own
        grade is higher than theirs.
        """
        for query_id, rows in self.iter_queries():
            named = self.subtopics.get(query_id, {})
            for row in rows:
                doc_id, grade = self.doc_ids.bytes_at(row), self.values[row]
                by_subtopic = named.get(doc_id, {})
                for subtopic, its_grade in by_subtopic.items():
                    yield query_id, doc_id, subtopic, its_grade
                if grade not in by_subtopic.values():
                    yield query_id, doc_id, None, grade

    def iter_opinions(self) -> Iterator[tuple[bytes, bytes, Opinion]]:
        """Iterate over query, document and opinion.

        A document occurs once for each judge and subtopic. A grade without further facts in the
        file is an opinion without a judge.
        """
        last = None
        for query_id, doc_id, subtopic, grade in self.iter_grades():
            opinions = self.opinions.get(query_id, {}).get(doc_id)
            if opinions is None:
                yield query_id, doc_id, Opinion(None, grade, subtopic=subtopic)
            elif (query_id, doc_id) != last:  # a document comes once per subtopic
                last = (query_id, doc_id)
                for opinion in opinions:
                    yield query_id, doc_id, opinion

    @property
    def grades(self) -> array[float]:
        """The grade of each row."""
        return self.values

    def grades_of(self, query_id: bytes) -> dict[bytes, float]:
        """Return the grade of each judged document of a query.

        If the query has subtopics, they are `berryeval.core.intents.IntentGrade`; if only a sample
        of its pool was judged, they are `berryeval.core.strata.SampledGrade`, or have its
        attribute.
        """
        rows = self.rows_of(query_id)
        values = self.values[rows.start : rows.stop]
        grades = dict(zip(self.doc_ids.iter_bytes(rows.start, rows.stop), values, strict=True))
        strata = self.strata.get(query_id)
        if strata or min(values, default=0.0) < 0.0:
            grades = grades_by_stratum(grades, strata or {})
        subtopics = self.subtopics.get(query_id)
        if not subtopics:
            return grades
        return grades_by_intent(grades, subtopics, self.subtopic_weights.get(query_id, {}))


def _is_nested(judgments: object) -> bool:
    """Whether any document has a mapping in place of a grade."""
    return isinstance(judgments, Mapping) and any(
        isinstance(grade, Mapping)
        for documents in judgments.values()
        if isinstance(documents, Mapping)
        for grade in documents.values()
    )


def _read_nested(judgments: Mapping[Any, Any]) -> Judgments:
    highest: dict[Any, Any] = {}
    subtopics: Subtopics = {}
    for query_id, documents in judgments.items():
        highest[query_id] = documents
        if not isinstance(documents, Mapping):
            continue
        highest[query_id] = dict(documents)
        for doc_id, grades in documents.items():
            if not isinstance(grades, Mapping):
                continue
            where = f"judgments[{query_id!r}][{doc_id!r}]"
            if not grades:
                raise ArgumentError(where, "at least one subtopic", "none")
            named = {
                encode_id(as_id(name, f"{where}: a subtopic")): check_grade(
                    grade, f"{where}[{name!r}]"
                )
                for name, grade in grades.items()
            }
            highest[query_id][doc_id] = max(named.values())
            own = subtopics.setdefault(encode_id(as_id(query_id, "judgments: an id")), {})
            own[encode_id(as_id(doc_id, f"judgments[{query_id!r}]: an id"))] = named
    found = Judgments.from_dict(highest)
    found.subtopics = subtopics
    return found


def judgments_of_frame(
    frame: object, duplicates: Duplicates, judges: Judges, origin: Origin
) -> Judgments:
    """Read judgments from a frame."""
    from berryeval.core.frames import read_frame

    check_judges(judges)
    found = read_frame(frame, "judgments", duplicates, origin)
    if isinstance(found, tuple):
        return Judgments.of_native(found)
    return collect_judged(found, origin, duplicates, judges)


def collect_judged(
    rows: Iterable[JudgedRow],
    origin: Origin,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
) -> Judgments:
    """Make judgments of rows.

    The same query, document, subtopic and judge twice is a duplicate. If several judges graded a
    document, the rule `judges` determines which grade counts, and `Judgments.reduced` states for
    how many documents. The grade of a document is the highest over its subtopics.
    """
    found: dict[bytes, dict[bytes, _Grades]] = {}
    opinions: dict[bytes, dict[bytes, list[Opinion]]] = {}
    weights: dict[bytes, dict[bytes, float]] = {}
    strata: dict[bytes, dict[bytes, bytes]] = {}
    for row in rows:
        _, query_id, doc_id, grade, judge, subtopic, source, judged_at, note, *_ = row
        if row.subtopic_weight is not None:
            add_weight(weights, row, origin)
        if row.stratum is not None:
            add_stratum(strata, row, origin)
        documents = found.setdefault(query_id, {})
        before = documents.get(doc_id)
        is_labelled = not (judge is source is judged_at is note is None)
        if is_labelled or doc_id in opinions.get(query_id, {}):
            own = opinions.setdefault(query_id, {})
            _add_opinion(own.setdefault(doc_id, _plain_opinions(before)), row)
        if before is None and judge is None and subtopic is None:
            documents[doc_id] = grade
            continue
        label = (subtopic, judge)
        if not isinstance(before, dict):
            before = documents[doc_id] = {} if before is None else {(None, None): before}
        if label not in before:
            before[label] = grade
        elif duplicates == "error":
            raise origin.duplicate("judgments", query_id, doc_id, row.place)
        else:
            before[label] = max(before[label], grade)
    judgments = _reduce(found, judges)
    judgments.opinions = opinions
    judgments.subtopic_weights = weights
    judgments.strata = strata
    return judgments


def _plain_opinions(grades: _Grades | None) -> list[Opinion]:
    """Return the grades before the first one with a judge as opinions."""
    if not isinstance(grades, dict):
        return [] if grades is None else [Opinion(None, grades)]
    return [Opinion(None, grade, subtopic=subtopic) for (subtopic, _), grade in grades.items()]


def _add_opinion(opinions: list[Opinion], row: JudgedRow) -> None:
    """Add an opinion; one that the judge has given already keeps the better grade."""
    new = Opinion(row.judge, row.grade, row.source, row.judged_at, row.note, row.subtopic)
    for place, one in enumerate(opinions):
        if (one.judge, one.subtopic) == (new.judge, new.subtopic):
            opinions[place] = max(one, new, key=lambda opinion: opinion.grade)
            return
    opinions.append(new)


def _reduce(found: dict[bytes, dict[bytes, _Grades]], judges: Judges) -> Judgments:
    rows = Grouping()
    subtopics: Subtopics = {}
    n_reduced = 0
    for query_id, documents in found.items():
        rows.add_query(query_id)
        for doc_id, grades in documents.items():
            if not isinstance(grades, dict):
                rows.add(query_id, doc_id, grades)
                continue
            by_subtopic: dict[bytes | None, list[float]] = {}
            for (subtopic, _), grade in grades.items():
                by_subtopic.setdefault(subtopic, []).append(grade)
            n_reduced += any(len(several) > 1 for several in by_subtopic.values())
            reduced = {
                subtopic: reduce_grades(several, judges)
                for subtopic, several in by_subtopic.items()
            }
            rows.add(query_id, doc_id, max(reduced.values()))
            named = {key: grade for key, grade in reduced.items() if key is not None}
            if named:
                subtopics.setdefault(query_id, {})[doc_id] = named
    judgments = Judgments.collect(rows)
    judgments.subtopics = subtopics
    if n_reduced:
        judgments.reduced = (judges, n_reduced)
    return judgments
