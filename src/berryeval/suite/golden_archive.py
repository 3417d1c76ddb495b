"""From an archive to a golden set, and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from berryeval.core.documents import Document
from berryeval.core.files import write_whole
from berryeval.core.id_column import encode_id
from berryeval.formats.relevance_judgments import RelevanceJudgments
from berryeval.golden.golden_set import GUIDELINE, GoldenSet
from berryeval.golden.judged import judged_queries
from berryeval.golden.writing import check_target, write_golden_set
from berryeval.judges.admissions import StoredAdmission, read_admissions, store_admission
from berryeval.judges.model_grades import GRADES, GradeFile, ModelGrade, read_grades
from berryeval.judges.proposals import Proposal, read_proposals, write_proposals
from berryeval.suite.judged_pairs import guideline_text_of

if TYPE_CHECKING:
    from berryeval.archive import Archive
    from berryeval.archive.records import Page

__all__ = [
    "ExportedGoldenSet",
    "JudgedSet",
    "export_golden_set",
    "import_golden_set",
    "import_judges",
]

Item = TypeVar("Item")

IMPORTED = "imported"
"""The author of judgments from a golden set."""

_AT_ONCE = 1000


@dataclass(frozen=True)
class ExportedGoldenSet:
    """The result of exporting an archive."""

    files: tuple[Path, ...]
    n_documents: int
    n_queries: int
    n_judgments: int
    missing_documents: tuple[str, ...] = ()
    """Judged documents whose text the archive does not have."""
    missing_queries: tuple[str, ...] = ()
    """Judged queries whose text the archive does not have."""
    n_by_subtopic: int = 0
    """Number of documents whose grades by subtopic are left out."""


def export_golden_set(
    archive: Archive, folder: str | os.PathLike[str], *, relevant_from: float = 1
) -> ExportedGoldenSet:
    """Write the documents, queries and judgments of an archive as a golden set.

    The judgments are those that count now, by the archive's rule; its scale and labels are
    declared. Documents are written as JSON lines, each of them a chunk; without texts in the
    archive, the set has no documents. Grades and checks of automated judges, proposed
    queries and the guideline are written if there are any. Second opinions, subtopics and history
    are only in `berryeval.archive.Archive.export`.

    Parameters
    ----------
    archive : Archive
        The archive.
    folder : path
        A new or empty folder.
    relevant_from : float
        The lowest grade that counts as relevant, which archives do not store.

    Raises
    ------
    ArgumentError
        If the folder is not empty.
    FormatError
        If a file cannot be written.
    """
    target = check_target(folder)
    judgments = archive.judgments.current()
    queries = [*archive.queries.all().values()]
    judged = judged_queries(judgments)
    texts: set[str] = set()
    documents = _documents(archive, texts)
    first = next(documents, None)
    files = write_golden_set(
        target,
        documents=None if first is None else chain([first], documents),
        queries=queries,
        judgments=RelevanceJudgments(
            version="1",
            scale=judgments.scale,
            pool_depth=None,
            queries=tuple(judged),
            relevant_from=relevant_from,
            labels=judgments.labels,
            judges=judgments.judges,
        ),
    )
    _write_judges(archive, target)
    known = {query.query_id for query in queries}
    judged_ids = {name for one in judged for name, _ in one.iter_grades()}
    return ExportedGoldenSet(
        files=files,
        n_documents=len(texts),
        n_queries=len(queries),
        n_judgments=judgments.n_rows,
        missing_documents=tuple(sorted(judged_ids - texts)) if texts else (),
        missing_queries=tuple(one.query_id for one in judged if one.query_id not in known),
        n_by_subtopic=len([None for own in judgments.subtopics.values() for _ in own]),
    )


def import_golden_set(archive: Archive, golden: GoldenSet) -> dict[str, int]:
    """Store the documents, queries and judgments of a golden set in an archive.

    Documents are the chunks of the set; judged spans are stored as documents of their own, by their
    ids. Judgments are by ``imported``; a judgment with the same grade stays as it is. The archive
    adopts the scale, labels, rule and guideline of the set, unless it has its own. Grades of
    automated judges are stored beside the judgments, with their checks and proposed queries
    (`import_judges`).

    Returns
    -------
    dict of str to int
        The number of new or changed documents, queries and judgments, and of anything else stored.
    """
    from berryeval.archive.records import JudgmentBatch, JudgmentEntry

    judgments, judged_set = golden.judgments, JudgedSet.of(golden)  # before anything is stored
    there = archive.judgments.current()
    entries = [
        JudgmentEntry(judged.query_id, name, grade)
        for judged in golden.judged
        for known in [there.grades_of(encode_id(judged.query_id))]
        for name, grade in judged.iter_grades()
        if known.get(encode_id(name)) != grade
    ]
    source = f"golden set {golden.name}"
    return {
        "documents": archive.documents.put([*golden.documents(), *_spans(golden)]),
        "queries": archive.queries.put(golden.queries),
        "judgments": archive.judgments.put_batches(
            [JudgmentBatch(IMPORTED, source, entries)], declared=judgments
        ),
        **{
            name: number
            for name, number in _store_judges(archive, judged_set, IMPORTED).items()
            if number
        },
    }


def import_judges(archive: Archive, golden: GoldenSet, *, by: str = IMPORTED) -> dict[str, int]:
    """Store what automated judges did in a golden set, and its guideline.

    Grades count in the archive as they do in the set: while the judge is admitted under the
    guideline, and the texts are the same. An archive that has a guideline keeps it.

    Returns
    -------
    dict of str to int
        The number of new grades, checks, proposed queries to decide on, and other proposals.
    """
    return _store_judges(archive, JudgedSet.of(golden), by)


def _store_judges(archive: Archive, judged: JudgedSet, by: str) -> dict[str, int]:
    archive.judging.adopt_guideline(judged.guideline)
    return {
        "model grades": archive.model_grades.put(judged.grades),
        "checks of judges": archive.admissions.put(judged.admissions, stored_by=by),
        **{name: archive.proposals.put(some) for name, some in judged.proposals_by_kind.items()},
    }


@dataclass(frozen=True)
class JudgedSet:
    """What automated judges did in a golden set, and the guideline they follow."""

    guideline: str
    """Empty if there is none."""
    grades: list[ModelGrade]
    admissions: list[StoredAdmission]
    proposals: list[Proposal]

    @property
    def proposals_by_kind(self) -> dict[str, list[Proposal]]:
        """Proposals to decide on, and others: added, rejected, duplicate, unanswered."""
        return {
            "proposed queries": [one for one in self.proposals if one.is_open],
            "other proposals": [one for one in self.proposals if not one.is_open],
        }

    @classmethod
    def of(cls, golden: GoldenSet) -> JudgedSet:
        """Read the files of a golden set.

        Raises
        ------
        FormatError
            If one of them is invalid.
        """
        return cls(
            guideline_text_of(golden),
            read_grades(golden.folder),
            read_admissions(golden.folder),
            read_proposals(golden.folder),
        )


def _write_judges(archive: Archive, folder: Path) -> None:
    """Write the files of automated judges that have content."""
    with GradeFile(folder / GRADES) as file:
        for grade in archive.model_grades.iter_all():
            file.add(grade)
    for admission in archive.admissions.all():
        store_admission(folder, admission)
    proposals = [*_pages(archive.proposals.page)]
    if proposals:
        write_proposals(folder, proposals)
    guideline = archive.judging.get().guideline
    if guideline:
        write_whole(folder / GUIDELINE, [f"{guideline}\n".encode("utf-8", "backslashreplace")])


def _spans(golden: GoldenSet) -> Iterator[Document]:
    """Iterate over judged spans as documents, each of them once."""
    spans = {span.span_id: span for span, _ in golden.matched_spans}
    for span_id, span in spans.items():
        yield Document(span_id, golden.texts[span.source][span.start : span.end], span.source)


def _documents(archive: Archive, ids: set[str]) -> Iterator[Document]:
    """Iterate over the documents that have a text, and note their ids: there may be millions."""
    for stored in _pages(archive.documents.page):
        if stored.text is not None:
            ids.add(stored.doc_id)
            yield Document(stored.doc_id, stored.text, stored.title or "", stored.length)


def _pages(page_of: Callable[..., Page[Item]]) -> Iterator[Item]:
    """Iterate over all pages of a part of the archive."""
    after = None
    while True:
        page = page_of(after=after, limit=_AT_ONCE)
        yield from page.items
        after = page.next
        if after is None:
            return
