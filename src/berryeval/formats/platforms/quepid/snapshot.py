"""A snapshot of Quepid as JSON: the results of a case, with the ratings and scores of that time.

::

    {"id": 3, "name": "before the boost", "time": "2026-11-16T08:00:00Z",
     "docs": {"41": [{"id": "d7", "rated_only": false, "fields": {"title": "…"}}]},
     "queries": [{"query_id": 41, "query_text": "led tv", "ratings": {"d7": 2}}],
     "scores": [{"query_id": 41, "score": 0.8}]}

It is what ``GET /api/cases/:id/snapshots/:id`` returns, and has a run, judgments, scores and
queries. Documents stand in the order of their ranks and have no scores: the score of rank r is
1 / r. Those that are ``rated_only`` were not retrieved, and are left out. The query is its text,
which is its id here; a query that the snapshot does not list is its number. Written files have the
shape that ``POST /api/cases/:id/snapshots/imports`` takes, which is read, too::

    {"snapshots": [{"name": "bm25", "queries": [
      {"query_text": "led tv", "docs": [{"id": "d7", "position": 1}]}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import iter_rankings, score_of_rank
from berryeval.formats.platforms._json import Node, dump, load
from berryeval.formats.platforms.quepid.case import query_of, ratings_of
from berryeval.formats.rows import Row, as_tag

__all__ = [
    "HOLDS",
    "first_tag",
    "iter_judged",
    "iter_queries",
    "iter_rows",
    "read_scores",
    "sniff",
    "to_lines",
]

HOLDS = Capabilities(
    ("run", "judgments", "scores", "queries"),
    ("run",),
    scores=False,
    tags=True,
    empty_queries=True,
    by_text=True,
)


def sniff(beginning: Beginning) -> bool:
    """Whether it is an object with documents, or one of snapshots."""
    is_exported = beginning.has_keys("docs", "name") or beginning.has_keys("docs", "queries")
    return is_exported or beginning.has_keys("snapshots")


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the results, in the order of their ranks."""
    assert kind == "run"
    snapshot = load(path)
    if snapshot.get("snapshots") is not None:
        yield from _imported_rows(snapshot, path)
        return
    texts = _texts(snapshot)
    for number, documents in snapshot["docs"].ids():
        query_id = texts.get(number, number)
        rank = 0
        for document in documents.entries():
            only = document.get("rated_only")
            if only is not None and only.value is True:
                note_loss(Loss.NOT_RETRIEVED)
                continue
            note_loss(Loss.FIELDS, document.has_any("fields"))
            rank += 1
            yield None, query_id, document["id"].id(), score_of_rank(rank)


def _imported_rows(content: Node, path: PathLike) -> Iterator[Row]:
    snapshots = list(content["snapshots"].entries())
    if len(snapshots) != 1:
        raise FormatError.unexpected(
            "one snapshot",
            str(len(snapshots)),
            path_name(path),
            way_out="a run has the results of one",
        )
    for query in snapshots[0]["queries"].entries():
        query_id = query["query_text"].id()
        documents = sorted(query["docs"].entries(), key=_position)
        for rank, document in enumerate(documents, start=1):
            yield None, query_id, document["id"].id(), score_of_rank(rank)


def _position(document: Node) -> float:
    return document["position"].number("run")


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings that the queries had."""
    for query in load(path)["queries"].entries():
        yield from ratings_of(query, query["query_text"].id())


def iter_queries(path: PathLike) -> Iterator[Query]:
    """Iterate over the queries, with their information needs as descriptions."""
    for entry in load(path)["queries"].entries():
        yield query_of(entry, entry["query_text"])


def read_scores(path: PathLike) -> dict[str, dict[str, float]]:
    """Return the score of each query, under the name of the scorer."""
    snapshot = load(path)
    texts = _texts(snapshot)
    scorer = snapshot.get("scorer")
    name = None if scorer is None or not scorer.is_object() else scorer.get("name")
    found = {}
    for one in snapshot["scores"].entries():
        score = one.get("score")
        if score is None:
            note_loss(Loss.UNRATED)
            continue
        query_id = one["query_id"].id()
        found[decode_id(texts.get(query_id, query_id))] = score.number("run")
    return {"score" if name is None else name.text(): found}


def _texts(snapshot: Node) -> dict[bytes, bytes]:
    """Return the texts of the queries by number."""
    queries = snapshot.get("queries")
    listed = [] if queries is None else queries.entries()
    return {one["query_id"].id(): one["query_text"].id() for one in listed}


def first_tag(path: PathLike) -> str | None:
    """Return the name of the snapshot, if it is one word."""
    snapshot = load(path)
    listed = snapshot.get("snapshots")
    first = snapshot if listed is None else next(listed.entries(), None)
    name = None if first is None else first.get("name")
    return None if name is None else as_tag(name.value)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for judgments."""
    rankings = iter_rankings(data, "a snapshot of Quepid")
    name = data.tag if isinstance(data, Run) and data.tag else "BerryEval"
    yield b'{"snapshots": [{"name": %s, "queries": [' % dump(name)
    for number, (query, ranking) in enumerate(rankings):
        documents = [{"id": doc_id, "position": i} for i, (doc_id, _) in enumerate(ranking, 1)]
        entry = dump({"query_text": query, "docs": documents})
        yield (b",\n  " if number else b"\n  ") + entry
    yield b"\n]}]}\n"
