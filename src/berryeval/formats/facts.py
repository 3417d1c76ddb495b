"""What is in a file of judgments or of a run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from berryeval.core.column_names import Kind
from berryeval.core.score_order import cautions_of
from berryeval.errors import FormatError
from berryeval.formats import beir, delimited, json_object, jsonl
from berryeval.formats.beginning import first_line
from berryeval.formats.capabilities import FileKind
from berryeval.formats.keys import DOCUMENT, GRADE, SCORE
from berryeval.formats.lines import PathLike, iter_lines, path_name, readable_again
from berryeval.formats.platforms import PLATFORM_FORMATS
from berryeval.formats.queries import has_keys
from berryeval.formats.reading import find_cautions, iter_limited, sniff_format
from berryeval.formats.registry import BINARY, FORMATS, capabilities_of, check_format, check_kind

__all__ = ["FileFacts", "guess_kind", "read_facts"]

_RUN_COLUMNS = 6


@dataclass(frozen=True)
class FileFacts:
    """What `berryeval inspect` reports about a file."""

    path: str
    kind: Kind
    format: str
    sha256: str
    """SHA-256 of the decompressed content."""
    queries: int
    rows: int
    fewest_documents: int
    """Documents of the query that has the fewest."""
    median_documents: float
    most_documents: int
    lowest: float
    """The lowest grade or score."""
    highest: float
    tied: int
    """Rows of a run that share their score with another document of the query."""
    duplicates: int
    """Rows that repeat a document of the query."""
    relevant: int
    """Judgments with a grade of at least 1."""
    cautions: tuple[str, ...] = ()
    """Cautions about the scores of a run."""


def read_facts(path: PathLike, *, kind: Kind | None = None, format: str | None = None) -> FileFacts:
    """Read a file, a BEIR folder, a pipe or standard input (``-``), and return facts about it.

    Kind and format are detected by default. Raises `FormatError` with file and line for invalid
    content; duplicates are counted.
    """
    path = readable_again(beir.judgments_file(path))
    chosen = sniff_format(path) if format is None else check_format(format)
    known = _ranked_or_judged(path, chosen) if kind is None else kind
    check_kind(chosen, known, path)
    documents: dict[bytes, set[object]] = {}
    # Only a JSON object can have queries without documents.
    queries = json_object.load(path).iter_queries(known) if chosen == "json" else ()
    numbers: dict[bytes, list[float]] = {query_id: [] for query_id, _ in queries}
    rows = duplicates = 0
    for query_id, document, number in _iter_rows(path, chosen, known):
        rows += 1
        seen = documents.setdefault(query_id, set())
        duplicates += document in seen
        seen.add(document)
        numbers.setdefault(query_id, []).append(number)
    if not rows:
        raise FormatError.unexpected("judgments or a run", "nothing", path_name(path))
    sizes = sorted(len(found) for found in numbers.values())
    return FileFacts(
        path=path_name(path),
        kind=known,
        format=chosen,
        sha256=_sha256(path),
        queries=len(numbers),
        rows=rows,
        fewest_documents=sizes[0],
        median_documents=(sizes[len(sizes) // 2] + sizes[(len(sizes) - 1) // 2]) / 2,
        most_documents=sizes[-1],
        lowest=min(map(min, filter(None, numbers.values()))),
        highest=max(map(max, filter(None, numbers.values()))),
        tied=_count_tied(numbers.values()) if known == "run" else 0,
        duplicates=duplicates,
        relevant=sum(grade >= 1 for found in numbers.values() for grade in found)
        if known == "judgments"
        else 0,
        cautions=_cautions(path, chosen) if known == "run" else (),
    )


def _cautions(path: PathLike, format: str) -> tuple[str, ...]:
    found = find_cautions(path, format)
    if found is not None:
        return found
    return cautions_of(
        lambda _limit: ((query, None, score) for query, _, score in _iter_rows(path, format, "run"))
    )


def _iter_rows(path: PathLike, format: str, kind: Kind) -> Iterator[tuple[bytes, object, float]]:
    """Iterate over query, the key that identifies duplicates, and number."""
    module = FORMATS[format]
    if kind == "judgments" and hasattr(module, "iter_judged"):
        for row in iter_limited(module.iter_judged(path), path):
            yield row.query_id, (row.doc_id, row.judge, row.subtopic), row.grade
    else:
        for _, query_id, doc_id, number in iter_limited(module.iter_rows(path, kind), path):
            yield query_id, doc_id, number


def _ranked_or_judged(path: PathLike, format: str) -> Kind:
    """Return the kind of a file; raise if it has neither judgments nor a run."""
    guessed = guess_kind(path, format)
    reads = capabilities_of(format).reads if format in PLATFORM_FORMATS else ()
    for kind in (guessed, *reads):
        if kind in ("judgments", "run"):
            return kind
    raise FormatError.unexpected("judgments or a run", guessed, path_name(path))


def guess_kind(path: PathLike, format: str) -> FileKind:
    """Return the kind of a file, by its first line or by the numbers of a JSON object.

    Files of platforms that hold several kinds are what the format reads first. Raises
    `FormatError` if a JSON object has nothing but whole numbers.
    """
    if format in PLATFORM_FORMATS or format == "letor":
        return capabilities_of(format).reads[0]
    if format == "json":
        if json_object.has_broken_numbers(path):
            return "run"
        message = "expected --kind judgments or --kind run, since whole numbers may be either"
        raise FormatError(message, path_name(path))
    if format in BINARY:
        return _kind_of_names({name.strip().lower() for name in FORMATS[format].column_names(path)})
    if format == "jsonl":
        record = next((record for _, record in jsonl.iter_objects(path)), {})
        return _kind_of_names({name.lower() for name in record})
    line = first_line(path)
    if format == "trec":
        return "run" if len(line.split()) >= _RUN_COLUMNS else "judgments"
    names = delimited.split_header(line.decode("utf-8", "replace"))
    return _kind_of_names({name.strip().strip('"').lower() for name in names})


def _kind_of_names(names: set[str]) -> FileKind:
    if names.isdisjoint(DOCUMENT):
        if "measure" in names:
            return "scores"
        if has_keys([*names]) and names.isdisjoint({*GRADE, *SCORE}):
            return "queries"
    # BEIR calls grades scores; no other format has a corpus-id.
    is_judged = names & (set(GRADE) - {"score"}) or "corpus-id" in names
    return "judgments" if is_judged else "run"


def _count_tied(rankings: Iterable[list[float]]) -> int:
    counts = (Counter(scores).values() for scores in rankings)
    return sum(count for found in counts for count in found if count > 1)


def _sha256(path: PathLike) -> str:
    digest = hashlib.sha256()
    for _, line in iter_lines(path):
        digest.update(line)
    return digest.hexdigest()
