"""Reading a file in any format, which is detected by default."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from typing import TypeVar

from berryeval.backend import backend
from berryeval.core.column_names import Kind
from berryeval.core.files import uncompressed_name
from berryeval.core.frames import iter_head
from berryeval.core.grouped import Grouping
from berryeval.core.id_column import encode_id
from berryeval.core.judging import JudgedRow, Judges, check_judges
from berryeval.core.judgments import Judgments, collect_judged, judgments_of_frame
from berryeval.core.origin import Origin
from berryeval.core.run import Run, run_of_frame
from berryeval.core.score_order import cautions_of
from berryeval.errors import FormatError
from berryeval.formats import beir, json_object, trec
from berryeval.formats._arrow_files import tag_of
from berryeval.formats.beginning import Beginning
from berryeval.formats.limits import check_rows
from berryeval.formats.lines import PathLike, iter_pieces, path_name, read_content, readable_again
from berryeval.formats.parquet_folder import is_parquet_folder
from berryeval.formats.platforms import PLATFORM_FORMATS, load, may_be_one
from berryeval.formats.registry import BINARY, FORMATS, OWN_FORMATS, check_format, check_kind
from berryeval.formats.rows import Duplicates, Row, add_rows
from berryeval.formats.trec_native import read_columns, read_labelled_columns

__all__ = [
    "find_cautions",
    "find_judgment_line",
    "iter_limited",
    "read_judgments",
    "read_run",
    "sniff_format",
]

Noun = TypeVar("Noun", Judgments, Run)

AnyRow = TypeVar("AnyRow", Row, JudgedRow)


def read_judgments(
    path: PathLike,
    *,
    format: str | None = None,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    split: str = "test",
) -> Judgments:
    """Read judgments from a file.

    Parameters
    ----------
    path : path
        The file, compressed with gzip or not; ``-`` is standard input. A folder is read as
        BEIR's, its ``qrels/test.tsv``, or as the Parquet files that it has.
    format : str, optional
        One of `FORMATS`. Default: detected from the beginning.
    duplicates : {"error", "keep-best"}
        What to do with a document that is judged twice for one query, by one judge and for one
        subtopic.
    judges : {"first", "latest", "max", "mean", "majority"}
        Which grade counts if several judges graded a document; first and latest refer to the order
        of the file. Negative grades count only if all are negative; among equally frequent grades,
        the majority is the lowest.
    split : str
        Of a folder, which judgments to read: ``"dev"`` are those of ``qrels/dev.tsv``.

    Raises
    ------
    FormatError
        With file and line, for what cannot be read.
    """
    check_judges(judges)
    if os.path.isdir(path) and (  # noqa: PTH112
        beir.has_judgments(path) or not is_parquet_folder(path)
    ):
        path = beir.judgments_path(path, split)
    path = readable_again(path)
    chosen = sniff_format(path) if format is None else check_format(format)
    module = FORMATS[chosen]
    check_kind(chosen, "judgments", path)
    origin = Origin(path_name(path), has_lines=chosen not in BINARY)
    if chosen in BINARY:
        return judgments_of_frame(module.read_table(path, "judgments"), duplicates, judges, origin)
    if chosen == "trec":
        return _read_trec_judgments(path, duplicates, judges, origin)
    if chosen == "json":
        return _read_object(path, duplicates)
    if not hasattr(module, "iter_judged"):
        return _read(Judgments, path, "judgments", chosen, duplicates)
    rows = module.iter_judged(path)
    if chosen in PLATFORM_FORMATS:
        rows = iter_limited(rows, path)
    judgments = collect_judged(rows, origin, duplicates, judges)
    if hasattr(module, "scale_of"):
        judgments.scale, judgments.labels = module.scale_of(path) or (None, None)
    return judgments


def find_judgment_line(
    path: PathLike,
    query_ids: Collection[str],
    doc_id: str,
    grade: float,
    *,
    format: str | None = None,
) -> int | None:
    """Return the line of a grade in a file; None if the format has no lines, or it has no such row.

    Parameters
    ----------
    query_ids : collection of str
        The names that the query may have in the file: its id, or its text.
    """
    path = readable_again(path)
    chosen = sniff_format(path) if format is None else check_format(format)
    if chosen in BINARY or chosen == "json":
        return None
    module = FORMATS[chosen]
    has_judges = hasattr(module, "iter_judged")
    rows = module.iter_judged(path) if has_judges else module.iter_rows(path, "judgments")
    queries, wanted = {encode_id(one) for one in query_ids}, (encode_id(doc_id), grade)
    found = (row[0] for row in rows if row[1] in queries and (row[2], row[3]) == wanted)
    return next(found, None)


def iter_limited(rows: Iterable[AnyRow], path: PathLike) -> Iterator[AnyRow]:
    """Iterate over the rows of a file; raise `SizeError` if there are too many.

    A document of JSON may have them all on one line; lines are counted as they are read.
    """
    name = path_name(path)
    for number, row in enumerate(rows, start=1):
        check_rows(number, name)
        yield row


def _read_object(path: PathLike, duplicates: Duplicates) -> Judgments:
    """Read judgments, and what a golden set declares of them."""
    loaded = json_object.load(path)
    found = Judgments.collect(loaded.group("judgments", duplicates))
    if loaded.golden is not None:
        declared = loaded.golden
        found.scale, found.labels, found.judges = declared.scale, declared.labels, declared.judges
    return found


def _read_trec_judgments(
    path: PathLike, duplicates: Duplicates, judges: Judges, origin: Origin
) -> Judgments:
    """Read them natively unless they have subtopics or strata, which the extension ignores."""
    content = read_content(path)
    if backend().name == "native":
        try:
            columns, may_have_subtopics = read_labelled_columns(content, path, duplicates)
        except FormatError:  # perhaps a document that comes under several subtopics, or strata
            if not trec.has_subtopics(content) and not trec.has_strata(content):
                raise
        else:
            if not may_have_subtopics or not trec.has_subtopics(content):
                return Judgments.of_native(columns)
    return collect_judged(trec.judged_rows(content, path), origin, duplicates, judges)


def read_run(path: PathLike, *, format: str | None = None, duplicates: Duplicates = "error") -> Run:
    """Read a run from a file. Parameters are as for `read_judgments`, without judges and split."""
    path = readable_again(path)
    chosen = sniff_format(path) if format is None else check_format(format)
    module = FORMATS[chosen]
    check_kind(chosen, "run", path)
    if chosen in BINARY:
        table = module.read_table(path, "run")
        run = run_of_frame(table, duplicates, Origin(path_name(path)))
        run.tag = tag_of(table.schema)
        run.cautions = cautions_of(lambda limit: iter_head(table, limit))
        return run
    run = _read(Run, path, "run", chosen, duplicates)
    if hasattr(module, "first_tag"):
        run.tag = module.first_tag(path)
    run.cautions = find_cautions(path, chosen)
    return run


def find_cautions(path: PathLike, format: str) -> tuple[str, ...] | None:
    """Return suspicions about the scores of a run; None if the format has no ranks.

    The order of the rows then takes their place, see `Run.find_cautions`.
    """
    module = FORMATS[format]
    if not hasattr(module, "iter_ranked"):
        return None
    return cautions_of(lambda _limit: module.iter_ranked(path))


def _read(
    noun: type[Noun], path: PathLike, kind: Kind, format: str, duplicates: Duplicates
) -> Noun:
    if format == "trec" and backend().name == "native":
        return noun.of_native(read_columns(iter_pieces(path), kind, path, duplicates))
    if format == "json":  # the one text format in which a query may have no documents
        return noun.collect(json_object.load(path).group(kind, duplicates))
    found = Grouping()
    rows = FORMATS[format].iter_rows(path, kind)
    if format in PLATFORM_FORMATS:
        rows = iter_limited(rows, path)
    add_rows(found, rows, kind, path, duplicates)
    return noun.collect(found)


def sniff_format(path: PathLike) -> str:
    """Return the format of a file that is `readable_again`, detected from its beginning.

    A folder of Parquet files is Parquet.

    The name counts only if the first line is not conclusive: ``.csv`` and ``.tsv`` are tables.
    """
    if is_parquet_folder(path):
        return "parquet"
    beginning = Beginning(path)
    line = beginning.line
    found = next((name for name in OWN_FORMATS if OWN_FORMATS[name].sniff(line)), "trec")
    if found not in BINARY and may_be_one(line):
        found = next((name for name in PLATFORM_FORMATS if load(name).sniff(beginning)), found)
    if found == "trec" and trec.kind_of_line(line) is None:
        name = uncompressed_name(path).lower()
        if name.endswith((".csv", ".tsv")):
            return "table"  # with an unknown header: its reader says what was expected
        if name.endswith((".parquet", ".parq", ".pq", ".arrow", ".arrows", ".feather", ".ipc")):
            raise FormatError.unexpected(
                "Parquet or Arrow, as the name says", "something else", path_name(path)
            )
    return found
