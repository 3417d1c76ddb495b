"""Kinds of imports: how to read them, what they would change, and how to store them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from berryeval.archive import Archive, hash_of_document
from berryeval.archive.judgments.rows import NewJudgment, check_on_scale
from berryeval.archive.records import JudgmentBatch, RunFacts
from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.notes import caution_notes
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats import read_judgments, read_run
from berryeval.formats.beginning import Beginning, first_line
from berryeval.formats.corpus import iter_documents
from berryeval.formats.delimited import split_header
from berryeval.formats.facts import guess_kind
from berryeval.formats.jsonl import iter_objects
from berryeval.formats.limits import UPLOADED_LINE, limited
from berryeval.formats.lines import is_plain_file
from berryeval.formats.queries import read_queries
from berryeval.formats.queries.files import sniff_queries
from berryeval.formats.reading import sniff_format
from berryeval.formats.trec import kind_of_line
from berryeval.reports.wording import count
from berryeval.service.judgment_files import (
    IMPORTED,
    batches_of_file,
    has_same_labels,
    judgments_there,
    unread_times,
)
from berryeval.service.workbench.grading import labels_in_use

if TYPE_CHECKING:
    from berryeval.service.jobs import Progress

__all__ = [
    "KINDS",
    "NOUNS",
    "Change",
    "Kind",
    "Options",
    "Preview",
    "detect_kind",
    "preview_of",
    "read_file",
    "size_of",
    "store",
]

Kind: TypeAlias = Literal["judgments", "runs", "queries", "documents"]

_SHOWN, _NAMED = 20, 3
"""Maximum numbers of changes, and of judges, that a preview names."""
_BEGINNING = 4096
_TABLES = (b"PAR1", b"ARROW1")
"""What files of Parquet and Arrow begin with."""
_BYTES_PER_ROW = 32
_BYTES_PER_RECORD = 500

KINDS: Mapping[Kind, tuple[str, str]] = {
    "judgments": (
        "Judgments",
        "TREC, JSON lines, CSV, BEIR, Parquet, a golden set; Quepid, OpenSearch, RRE, LTR",
    ),
    "runs": (
        "A run",
        "The results of a system: TREC, JSON lines, CSV, Parquet; search responses, MS MARCO",
    ),
    "queries": ("Queries", "JSON, JSON lines, CSV, TSV or TREC topics"),
    "documents": (
        "Documents",
        "JSON lines with _id, title and text, as in BEIR; not Markdown",
    ),
}
"""The title and the file formats of each kind."""


NOUNS: Mapping[Kind, str] = {
    "judgments": "judgments",
    "runs": "a run",
    "queries": "queries",
    "documents": "documents",
}
"""What files of each kind contain, as sentences name it."""

_ANY = "judgments, a run, queries or documents"
_DOCUMENTS = "documents as JSON lines"
_WAY_OUT = (
    'documents are JSON lines, such as {"_id": "guide.md", "title": "Guide", "text": "…"}: write '
    "one line for each Markdown or text file"
)
_WHOLE_TEXT = {"contents", "body"}
"""Keys of documents that no query has."""
_PROSE = {".md", ".markdown", ".rst", ".adoc", ".html", ".htm"}
"""Endings of texts: to miss the columns of judgments in them would help nobody."""
_GUESSED: Mapping[str, Kind] = {"judgments": "judgments", "run": "runs", "queries": "queries"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the user enters about a file."""

    file_name: str
    run_name: str = ""
    commit: str = ""

    @property
    def stem(self) -> str:
        """The name of the file without its suffixes."""
        return self.file_name.partition(".")[0] or "run"


@dataclass(frozen=True, slots=True)
class Change:
    """An entry that would be replaced."""

    name: str
    detail: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that cannot be stored, since a project settles the disagreement of its judges."""

    query: str
    document: str
    project: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would change."""

    facts: Sequence[tuple[str, str]]
    n_new: int
    n_changed: int
    n_same: int
    changes: Sequence[Change] = ()
    """The first entries that would be replaced."""
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    refused: Sequence[Refused] = ()
    """The first rows for which the whole file is refused."""
    n_refused: int = 0


def read_file(
    path: Path, *, kind: Kind | None, rows: int, content: int, progress: Progress
) -> tuple[Kind, Any]:
    """Read a file with limited rows and bytes of content, as a task of a worker process.

    Returns its kind and its content. If it cannot be read as the kind that was chosen, or None was
    chosen, it is read as the kind that its beginning suggests.

    Raises
    ------
    FormatError
        If a line is invalid, or the file is empty or too large.
    """
    progress(0, 1, "reading")
    try:
        with limited(rows=rows, content=content, line=UPLOADED_LINE):
            return _read_as(kind, path)
    except FormatError:
        if _is_binary(path):
            raise FormatError.unexpected(_ANY, "a file that is not text", path.name) from None
        raise


def _read_as(kind: Kind | None, path: Path) -> tuple[Kind, Any]:
    if kind is None or path.suffix.lower() in _PROSE:
        found = detect_kind(path)
        if found is None:
            raise FormatError.unexpected(_ANY, _beginning(path), path.name, way_out=_WAY_OUT)
        return found, _read(found, path)
    try:
        return kind, _read(kind, path)
    except FormatError as error:
        detected = detect_kind(path)
        if detected not in (None, kind):
            return detected, _read(detected, path)
        if detected is None and kind == "documents":
            raise FormatError.unexpected(
                _DOCUMENTS, _beginning(path), error.path, 1, way_out=_WAY_OUT
            ) from None
        raise


def _is_binary(path: Path) -> bool:
    """Return whether a file has bytes that no text has; compressed files and tables may."""
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    return is_plain_file(path) and b"\0" in beginning and not beginning.startswith(_TABLES)


def detect_kind(path: Path) -> Kind | None:
    """Return what a file holds, by its beginning, whatever its name; None if that is unknown.

    Judgments and runs name documents with a grade or a score. Documents are JSON lines with a title
    and a text; queries have a text only. Any other text is none of them.
    """
    with suppress(FormatError):
        record = next((record for _, record in iter_objects(path)), {})
        names = {name.lower() for name in record}
        if {"title", "text"} <= names or not names.isdisjoint(_WHOLE_TEXT):
            return "documents"
    with suppress(FormatError):
        return _kind_of_format(path, sniff_format(path))
    return None


def _kind_of_format(path: Path, found: str) -> Kind | None:
    if found == "json":
        return _kind_of_object(path)
    if found in ("trec", "table"):
        line = first_line(path)
        columns = {name.strip().lower() for name in split_header(decode_id(line))}
        is_row = kind_of_line(line) is not None
        # Documents look like queries in a table, and a sentence with numbers like a run.
        is_prose = path.suffix.lower() in _PROSE or {"title", "text"} <= columns
        if is_prose or (found == "trec" and not is_row and sniff_queries(path) is None):
            return None
        if not is_row and sniff_queries(path) is not None:
            return "queries"
    return _GUESSED.get(guess_kind(path, found))


def _kind_of_object(path: Path) -> Kind:
    """Return what one JSON object holds: a part of a golden set, or numbers by query and document.

    Whole numbers may be grades or scores, and are taken for grades.
    """
    keys = Beginning(path).keys
    if len(keys) == 1 or not keys[1]:  # what it names first is a list
        for kind in ("judgments", "queries"):
            if kind in keys[0]:
                return kind
    with suppress(FormatError):
        return _GUESSED.get(guess_kind(path, "json"), "judgments")
    return "judgments"


def _beginning(path: Path) -> str:
    """Return the first line of a file, as messages show it."""
    with suppress(FormatError):
        return repr(decode_id(first_line(path).strip())[:40])
    return "something else"


def size_of(content: Any) -> int:  # noqa: ANN401 - as `read_file` returns it
    """Return about how many bytes of memory the content of a file takes."""
    if isinstance(content, (Run, Judgments)):
        ids = len(content.query_ids.data) + len(content.doc_ids.data)
        return ids + _BYTES_PER_ROW * content.n_rows
    return sum(_BYTES_PER_RECORD + len(one.text) for one in content)


def _read(kind: Kind, path: Path) -> Any:  # noqa: ANN401 - by its kind
    found: Any
    if kind == "judgments":
        found = read_judgments(path)
    elif kind == "runs":
        found = read_run(path)
    elif kind == "queries":
        found = list(read_queries(path))
    else:
        found = list(iter_documents(path))
    if not (found.n_rows if kind in ("judgments", "runs") else len(found)):
        raise FormatError.unexpected(KINDS[kind][0].lower(), "none", path.name)
    return found


def preview_of(
    archive: Archive,
    kind: Kind,
    content: Any,  # noqa: ANN401
    options: Options,
    *,
    may_declare: bool,
) -> Preview:
    """Return what an import would change.

    Parameters
    ----------
    may_declare : bool
        Whether the caller may declare the rule and the scale of the archive.
    """
    previews: dict[Kind, Callable[[], Preview]] = {
        "judgments": lambda: _of_judgments(
            archive, content, options.file_name, may_declare=may_declare
        ),
        "runs": lambda: _of_run(archive, content, options),
        "queries": lambda: _of_queries(archive, content),
        "documents": lambda: _of_documents(archive, content),
    }
    return previews[kind]()


def store(
    archive: Archive,
    kind: Kind,
    content: Any,  # noqa: ANN401
    options: Options,
    *,
    author: str,
    may_declare: bool,
) -> tuple[str, str]:
    """Store everything or nothing, and return a message and the address to continue at."""
    if kind == "judgments":
        stored = archive.imports.put(
            _batches(archive, content, options.file_name),
            file_name=options.file_name,
            author=author,
            declared=content if may_declare else None,
        )
        return _stored(stored.n_changed, "judgment"), "/judgments/imports"
    if kind == "runs":
        name = options.run_name or options.stem
        run = archive.runs.put(content, RunFacts(name=name, commit=options.commit or None))
        return f"The run {name} is stored.", f"/runs/{run.run_id}"
    if kind == "queries":
        n = archive.queries.put(content)
        return _stored(n, "query", "queries"), "/queries"
    n = archive.documents.put(content)
    return _stored(n, "document"), "/judgments?show=stale"


def _stored(n_stored: int, noun: str, plural: str | None = None) -> str:
    are = "is" if n_stored == 1 else "are"
    return f"{count(n_stored, noun, plural)} {are} new or changed."


def _batches(archive: Archive, content: Judgments, file_name: str) -> list[JudgmentBatch]:
    return batches_of_file(content, file_name, judgments_there(archive, content))


def _refused(archive: Archive, content: Judgments, file_name: str) -> tuple[list[Refused], int]:
    """Return the first rows that `store` would refuse, and the number of them."""
    if not archive.projects.unfinished_pairs():
        return [], 0
    pairs = {
        (one.query_id, one.doc_id): one.project
        for one in archive.imports.refused(_batches(archive, content, file_name))
    }
    first = [*pairs][:_SHOWN]
    queries = archive.queries.some({query_id for query_id, _ in first})
    titles = archive.documents.titles({doc_id for _, doc_id in first})
    rows = [
        Refused(
            queries[query_id].text if query_id in queries else query_id,
            titles.get(doc_id, doc_id),
            pairs[query_id, doc_id],
        )
        for query_id, doc_id in first
    ]
    return rows, len(pairs)


def _of_judgments(
    archive: Archive, content: Judgments, file_name: str, *, may_declare: bool
) -> Preview:
    there, highest = archive.judgments.current(), archive.judging.get().highest
    n_new = n_changed = n_same = 0
    changed: list[tuple[str, str, float, float]] = []
    replaced: list[tuple[bytes, bytes]] = []
    for query_id, rows in content.iter_queries():
        grades = there.grades_of(query_id)
        for row in rows:
            doc_id, after = content.doc_ids.bytes_at(row), content.grades[row]
            before = grades.get(doc_id)
            if highest is not None and after > highest:
                new = NewJudgment(decode_id(query_id), decode_id(doc_id), after, None)
                check_on_scale(new, before, highest)
            if before is None:
                n_new += 1
            elif before == after and has_same_labels(content, there, query_id, doc_id):
                n_same += 1
            else:
                n_changed += 1
                replaced.append((query_id, doc_id))
                if len(changed) < _SHOWN:
                    changed.append((decode_id(query_id), decode_id(doc_id), before, after))
    queries = archive.queries.some({query_id for query_id, *_ in changed})
    titles = archive.documents.titles({doc_id for _, doc_id, *_ in changed})
    known = len(_ids(content) & _ids(there))
    facts = [
        ("Judgments", f"{content.n_rows:,}"),
        ("Queries", f"{content.n_queries:,}, {known:,} of them judged already"),
        ("Grades", _range(content.grades)),
        *_judges(content),
    ]
    changes = [
        Change(
            queries[query_id].text if query_id in queries else query_id,
            titles.get(doc_id, doc_id),
            before,
            after,
        )
        for query_id, doc_id, before, after in changed
    ]
    notes = _to_declare(archive, content, may_declare=may_declare)
    warnings = [
        *_of_scale(archive, content, there),
        *_of_replaced(archive, replaced),
        *filter(None, [unread_times(content)]),
    ]
    refused = _refused(archive, content, file_name)
    return Preview(facts, n_new, n_changed, n_same, changes, warnings, notes, *refused)


def _of_scale(archive: Archive, content: Judgments, there: Judgments) -> list[str]:
    """Warn about grades of a file that change what judges see, or that judges cannot give."""
    found = []
    n_negative = sum(grade < 0 for grade in content.grades)
    if n_negative:
        are = "grade is" if n_negative == 1 else "grades are"
        found.append(f"{n_negative:,} {are} below 0, which means not judged.")
    declared = archive.judging.to_adopt(content) or archive.judging.get()
    if declared.labels is None and there.n_rows:
        highest, n_rows = max(there.grades), there.n_rows
        before = labels_in_use(highest, n_rows)
        most = max(content.grades)
        after = labels_in_use(max(highest, most), n_rows + content.n_rows)
        if most > len(before) - 1 and after != before:
            found.append(
                f"{most:g} is above {len(before) - 1}, {before[-1]!r}, the highest grade that "
                f"judges can give: they would see {len(after)} buttons, from {after[0]!r} to "
                f"{after[-1]!r}. To keep the labels, declare them under Rule and scale, and change "
                "the file."
            )
    return found


def _of_replaced(archive: Archive, pairs: Sequence[tuple[bytes, bytes]]) -> list[str]:
    """Warn about the grades of judges that a file replaces."""
    if not pairs:
        return []
    known = archive.judgments.with_opinions().opinions
    judges = [
        {decode_id(one.judge) for one in known.get(query_id, {}).get(doc_id, ()) if one.judge}
        for query_id, doc_id in pairs
    ]
    n = sum(bool(names - {IMPORTED}) for names in judges)
    if not n:
        return []
    names = sorted(set().union(*judges) - {IMPORTED})
    shown = ", ".join(names[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    are = "grade that was" if n == 1 else "grades that were"
    return [
        f"The file replaces {n:,} {are} given by {shown}: a file corrects judgments, whichever of "
        "several opinions counts. The history keeps them, and Imports can undo it."
    ]


def _to_declare(archive: Archive, content: Judgments, *, may_declare: bool) -> list[str]:
    """Describe what happens to the scale and the rule that a file declares."""
    now, then = archive.judging.get(), archive.judging.to_adopt(content)
    if then is not None and not may_declare:
        return [
            "The file declares a scale or a rule; this archive has none. Only an admin can declare "
            "them, under Rule and scale."
        ]
    found = []
    if then is not None and then.labels != now.labels:
        scale = ", ".join(f"{grade} {label}" for grade, label in enumerate(then.labels or ()))
        found.append(f"This archive declares no scale. It adopts the scale of the file: {scale}.")
    elif now.labels is None and content.scale is not None:
        found.append(
            "This archive does not adopt the scale of the file: a scale has two to ten grades, and "
            "no judgment exceeds it."
        )
    elif content.labels not in (None, now.labels):
        found.append("The file declares another scale. This archive keeps its own.")
    if then is not None and then.rule != now.rule:
        n = archive.judging.preview()[then.rule]
        changes = f" {n:,} grade{' changes' if n == 1 else 's change'}." if n else ""
        found.append(f"This archive adopts the rule of the file. {then.sentence}{changes}")
    return found


def _judges(content: Judgments) -> list[tuple[str, str]]:
    """Return the judges and the number of second opinions, if a file has them."""
    judges = {
        IMPORTED if one.judge is None else decode_id(one.judge)
        for documents in content.opinions.values()
        for opinions in documents.values()
        for one in opinions
    }
    if not judges:
        return [("Judge", f"{IMPORTED} (the file names no judges)")]
    facts = [("Judges", ", ".join(sorted(judges)))]
    if content.reduced is not None:
        facts.append(("Second opinions", f"on {content.reduced[1]:,} documents"))
    return facts


def _of_run(archive: Archive, content: Run, options: Options) -> Preview:
    judged = _ids(archive.judgments.current())
    n_judged = sum(query_id in judged for query_id in content.query_ids.iter_bytes())
    name = options.run_name or options.stem
    earlier = archive.runs.page(name=name, limit=1, newest_first=True).items
    facts = [
        ("Name", name),
        ("Queries", f"{content.n_queries:,}, {n_judged:,} of them judged"),
        ("Results", f"{content.n_rows:,}"),
        (
            "Series",
            f"continues from {earlier[0].run_id[:8]}" if earlier else "starts with this run",
        ),
    ]
    warnings = []
    if not n_judged:
        warnings.append("None of its queries is judged, so it cannot be scored yet.")
    warnings += map(str, caution_notes(content.find_cautions()))
    return Preview(facts, 1, 0, 0, (), warnings)


def _of_queries(archive: Archive, content: Sequence[Query]) -> Preview:
    there = archive.queries.some([query.query_id for query in content])
    changed = [one for one in content if there.get(one.query_id) not in (None, one)]
    n_new = sum(one.query_id not in there for one in content)
    n_same = len(content) - n_new - len(changed)
    changes = [
        Change(one.query_id, "", there[one.query_id].text, one.text) for one in changed[:_SHOWN]
    ]
    facts = [("Queries", f"{len(content):,}")]
    return Preview(facts, n_new, len(changed), n_same, changes)


def _of_documents(archive: Archive, content: Sequence[Document]) -> Preview:
    known = archive.documents.hashes(document.doc_id for document in content)
    n_new = n_changed = 0
    for document in content:
        before = known.get(document.doc_id)
        n_new += before is None
        n_changed += before is not None and before != hash_of_document(document)
    facts = [("Documents", f"{len(content):,}")]
    warnings = []
    if n_changed:
        warnings.append("Judgments of changed documents become stale, but still count.")
    return Preview(facts, n_new, n_changed, len(content) - n_new - n_changed, (), warnings)


def _ids(judgments: Judgments) -> set[bytes]:
    return set(judgments.query_ids.iter_bytes())


def _range(grades: Sequence[float]) -> str:
    return f"{min(grades):g} to {max(grades):g}" if len(grades) else "none"
