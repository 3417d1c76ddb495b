"""Judgments between files and the archive, with their judges, sources and times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from anyio import to_thread

from berryeval.archive import Archive
from berryeval.archive.judgments.opinions import SETTLED
from berryeval.archive.records import JudgmentBatch, JudgmentEntry
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments, Opinion
from berryeval.errors import FormatError, ScaleError
from berryeval.formats.query_texts import ids_by_text, rename_queries, texts_by_id
from berryeval.formats.registry import capabilities_of
from berryeval.service.workers.tasks import find_line

if TYPE_CHECKING:
    from berryeval.service.jobs import Progress
    from berryeval.service.workers.pool import Workers

__all__ = [
    "IMPORTED",
    "ReadFormat",
    "WrittenFormat",
    "batches_of_file",
    "has_same_labels",
    "judgments_for_file",
    "judgments_there",
    "located",
    "unread_times",
    "with_query_ids",
]

Noun = TypeVar("Noun", bound=Grouped)

IMPORTED = "imported"
"""The author of judgments from a file that names no judge."""

WrittenFormat: TypeAlias = Literal[
    "trec", "jsonl", "json", "table", "letor", "parquet", "arrow",
    "quepid-csv", "quepid-book-csv", "quepid-book", "quepid-case", "srw-judgments",
    "rre", "rre-gains", "rank-eval", "ltr", "ranx-lz4",
]  # fmt: skip
"""Formats that judgments are written in."""

ReadFormat: TypeAlias = Literal[
    WrittenFormat, "quepid-snapshot", "quepid-snapshot-csv", "rank-eval-response"
]
"""Formats that judgments are read from."""


def batches_of_file(content: Judgments, file_name: str, there: Judgments) -> list[JudgmentBatch]:
    """Return what a file adds to the existing judgments, by judge and source.

    A grade without a judge is by `IMPORTED`: importing a file is not judging it. If several
    judges graded a document, the first grade is the judgment, and the others are second opinions.
    An existing grade keeps its judge: the same grade by another judge is a second opinion. The
    grades by subtopic of a judge are one judgment. A grade that settled the others comes last.
    """
    from_file = f"file {file_name}"
    found: dict[tuple[str, str, bool], list[JudgmentEntry]] = {}
    for query_id, rows in content.iter_queries():
        known = there.grades_of(query_id)
        for row in rows:
            doc_id = content.doc_ids.bytes_at(row)
            opinions = _opinions_by_judge(content, query_id, doc_id, content.grades[row])
            if _is_settled_there(there, query_id, doc_id, opinions):
                continue
            for number, (judge, own) in enumerate(_settled_last(opinions)):
                entry = _entry(content, query_id, doc_id, own)
                is_there = known.get(doc_id) == entry.grade
                is_there = is_there and _has_labels_of(there, query_id, doc_id, entry)
                if judge is None and is_there:
                    continue
                author = IMPORTED if judge is None else decode_id(judge)
                source = own[0].source
                given = from_file if source is None else decode_id(source)
                as_opinion = given != SETTLED and (number > 0 or is_there)
                found.setdefault((author, given, as_opinion), []).append(entry)
    # Judgments first: an opinion refers to one. What settles opinions comes after them.
    in_order = sorted(found.items(), key=lambda item: (item[0][1] == SETTLED, item[0][2]))
    return [
        JudgmentBatch(author, source, entries, as_opinion)
        for (author, source, as_opinion), entries in in_order
    ]


def judgments_there(archive: Archive, content: Judgments) -> Judgments:
    """Return the current judgments for `batches_of_file`, with judges if a file settles some."""
    settled = SETTLED.encode()
    opinions = (
        one for own in content.opinions.values() for several in own.values() for one in several
    )
    has_settled = any(one.source == settled for one in opinions)
    return archive.judgments.with_opinions() if has_settled else archive.judgments.current()


def _is_settled_there(
    there: Judgments, query_id: bytes, doc_id: bytes, opinions: dict[bytes | None, list[Opinion]]
) -> bool:
    """Whether the archive has the grade that settled the opinions on a document in a file."""
    settled = SETTLED.encode()
    wanted = {(judge, one.grade) for judge, own in opinions.items() for one in own
              if one.source == settled}  # fmt: skip
    known = there.opinions.get(query_id, {}).get(doc_id, ())
    return any(one.source == settled and (one.judge, one.grade) in wanted for one in known)


def _settled_last(
    opinions: dict[bytes | None, list[Opinion]],
) -> list[tuple[bytes | None, list[Opinion]]]:
    return sorted(opinions.items(), key=lambda item: item[1][0].source == SETTLED.encode())


def _opinions_by_judge(
    content: Judgments, query_id: bytes, doc_id: bytes, grade: float
) -> dict[bytes | None, list[Opinion]]:
    """Return each judge's opinion on a document, the first judge first."""
    opinions: Sequence[Opinion] = content.opinions.get(query_id, {}).get(doc_id, ())
    if not opinions:
        subtopics = content.subtopics.get(query_id, {}).get(doc_id, {})
        opinions = [Opinion(None, each, subtopic=name) for name, each in subtopics.items()]
        if grade not in subtopics.values():
            opinions.append(Opinion(None, grade))
    found: dict[bytes | None, list[Opinion]] = {}
    for one in opinions:
        found.setdefault(one.judge, []).append(one)
    return found


def _entry(
    content: Judgments, query_id: bytes, doc_id: bytes, opinions: Sequence[Opinion]
) -> JudgmentEntry:
    """Return a judge's opinion on a document as an entry."""
    named = {one.subtopic: one.grade for one in opinions if one.subtopic is not None}
    weights = content.subtopic_weights.get(query_id, {})
    weighted = {decode_id(name): weights[name] for name in named if name in weights}
    stratum = content.stratum_of(query_id, doc_id)
    note = next((one.note for one in opinions if one.note), None)
    return JudgmentEntry(
        decode_id(query_id),
        decode_id(doc_id),
        max(one.grade for one in opinions),
        subtopics={decode_id(name): grade for name, grade in named.items()} or None,
        subtopic_weights=weighted or None,
        stratum=None if stratum is None else decode_id(stratum),
        note=None if note is None else decode_id(note),
        given_at=_time_of(opinions[0]),
    )


def _time_of(opinion: Opinion) -> datetime | None:
    """Return when a judge gave a grade; None if the file has no time, or one that is not ISO 8601.

    A time without a zone is UTC.
    """
    try:
        moment = datetime.fromisoformat((opinion.judged_at or b"").decode().replace("Z", "+00:00"))
        return moment.replace(tzinfo=moment.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


async def located(
    error: ScaleError,
    archive: Archive,
    workers: Workers,
    progress: Progress,
    *,
    path: Path,
    file_name: str,
    format: str | None = None,
) -> FormatError:
    """Return the error for a grade of a file that exceeds the scale, with its line if it has any.

    Judgments are read without their lines, so the file is searched for the grade.
    """
    query = await to_thread.run_sync(archive.queries.get, error.query_id)
    line = await workers.call(
        find_line, progress, path=path, format=format, doc_id=error.doc_id, grade=error.grade,
        query_ids=[error.query_id, *([] if query is None else [query.text])],
    )  # fmt: skip
    return FormatError.unexpected(
        f"a grade of at most {error.highest}, the highest of the declared scale",
        f"{error.grade:g} for document {error.doc_id!r} of query {error.query_id!r}",
        file_name,
        line,
    )


def unread_times(content: Judgments) -> str | None:
    """Return a note about times in a file that are not ISO 8601; None if there are none."""
    n = sum(
        one.judged_at is not None and _time_of(one) is None for _, _, one in content.iter_opinions()
    )
    if not n:
        return None
    are = "time is" if n == 1 else "times are"
    return f"{n:,} {are} not in ISO 8601, such as 2026-11-16T08:00:00Z, and left out."


def _has_labels_of(there: Judgments, query_id: bytes, doc_id: bytes, entry: JudgmentEntry) -> bool:
    """Whether judgments have the stratum and subtopics of an entry, which may leave them open."""
    if entry.stratum and there.stratum_of(query_id, doc_id) != encode_id(entry.stratum):
        return False
    if entry.subtopics is None:
        return True
    known = there.subtopics.get(query_id, {}).get(doc_id, {})
    weights = there.subtopic_weights.get(query_id, {})
    has_weights = all(
        weights.get(encode_id(name)) == weight
        for name, weight in (entry.subtopic_weights or {}).items()
    )
    return has_weights and known == {
        encode_id(name): grade for name, grade in entry.subtopics.items()
    }


def has_same_labels(content: Judgments, there: Judgments, query_id: bytes, doc_id: bytes) -> bool:
    """Whether existing judgments have the stratum and subtopics of a document in a file, if any."""
    wanted = content.subtopics.get(query_id, {}).get(doc_id, {})
    opinions = [Opinion(None, grade, subtopic=name) for name, grade in wanted.items()]
    entry = _entry(content, query_id, doc_id, opinions or [Opinion(None, 0.0)])
    return _has_labels_of(there, query_id, doc_id, entry)


def with_query_ids(archive: Archive, content: Noun) -> Noun:
    """Return judgments or a run of a file with the ids that the archive's queries have.

    Many formats identify queries by their text: an id that the archive only knows as the text of a
    query is replaced by the id of that query.
    """
    known = archive.queries.all()
    ids = {text: name for text, name in ids_by_text(known.values()).items() if text not in known}
    if not any(query_id in ids for query_id in content.query_ids):
        return content
    return rename_queries(content, ids)[0]


def judgments_for_file(
    archive: Archive, format: str, *, with_settled: bool = False
) -> tuple[Judgments, dict[str, str]]:
    """Return the current judgments for a format, and the texts of the queries by id.

    Judges, sources, times and notes are included if the format supports them, and queries have
    their text as id if the format identifies them that way.
    """
    holds = capabilities_of(format)
    texts = texts_by_id(archive.queries.some(archive.judgments.current().query_ids).values())
    has_labels = holds.judges or holds.sources or holds.times
    if has_labels:
        found = archive.judgments.with_opinions(with_settled=with_settled)
    else:
        found = archive.judgments.current()
    return (rename_queries(found, texts)[0] if holds.by_text else found), texts
