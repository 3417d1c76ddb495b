"""Creates a golden set from documents, and from queries and judgments if there are any."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.core.grade import default_labels
from berryeval.core.query import Query
from berryeval.errors import FormatError
from berryeval.formats import beir, iter_documents, read_queries
from berryeval.formats.golden_folder import judgments_in, queries_in
from berryeval.formats.relevance_judgments import JudgedQuery, RelevanceJudgments
from berryeval.formats.source_texts import SOURCE_ENDINGS, is_source, read_sources
from berryeval.golden.golden_set import DOCUMENTS, GUIDELINE, GoldenSet
from berryeval.golden.judged import read_any_judgments
from berryeval.golden.reading import read_golden_set
from berryeval.golden.writing import check_target, write_file, write_golden_set
from berryeval.search.chunking import cut
from berryeval.search.documents import documents_path

__all__ = ["init_golden_set"]

_SCALE = 3
"""The highest grade, as in the guideline."""

_SETTINGS = "berryeval.toml"

_SHARES = {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}
"""The thresholds of the quality suite, as shares of the best possible means: with few relevant
chunks per query, even the best possible P@5 is far below 1."""

_SAMPLE = Query(
    "Q001",
    "what a user types",
    category="factual",
    difficulty="easy",
    description="What the user wants to know, in one sentence. Judges read this.",
)


def init_golden_set(
    documents: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    queries: str | os.PathLike[str] | None = None,
    judgments: str | os.PathLike[str] | None = None,
    split: str | None = None,
    chunks: str | None = None,
) -> tuple[Path, ...]:
    """Copy documents into a new golden set, and create the files to fill in.

    These contain the given queries and judgments, or a sample query and a sample judgment to
    replace, a guideline, and a ``berryeval.toml`` with guards.

    Parameters
    ----------
    documents : path
        Markdown or text, as a folder or a file. Or JSON lines, a BEIR folder, or another golden
        set, whose queries and judgments are used, too.
    target : path
        Folder of the golden set; it must be new or empty.
    queries, judgments : path, optional
        Files in any format.
    split : str, optional
        The split of a BEIR folder. Default: ``"test"``.
    chunks : str, optional
        The chunking to declare in the judgments, such as ``"document"`` to judge whole documents.

    Returns
    -------
    tuple of Path
        The files that were written, without copied documents.

    Raises
    ------
    FormatError
        If there are no documents, or a file cannot be read.
    ArgumentError
        If the target is not empty, so that judgments are never overwritten.
    """
    folder = check_target(target)
    source = documents_path(documents)
    if not Path(source).exists():
        raise FormatError.unexpected("a folder with Markdown or text files", "none", source)
    if source != os.fspath(documents):  # it is a part of a folder that may contain the others
        queries = queries or queries_in(documents)
        judgments = judgments or _judgments_in(documents)
    lines = None if is_source(source) else [*iter_documents(source)]
    first_id = _first_id(source, lines, chunks)
    asked = None if queries is None else read_queries(queries)
    if judgments is None:
        judged = _first_judgments(first_id, has_queries=asked is not None)
    else:
        is_folder, is_split = Path(judgments).is_dir(), beir.has_splits(judgments)
        file = beir.judgments_path(judgments, split or "test") if is_folder else judgments
        judged = read_any_judgments(file)
        judged_ids = {one.query_id for one in judged.queries}
        asked = asked and [one for one in asked if not is_split or one.query_id in judged_ids]
    if chunks is not None:
        judged = replace(judged, chunks=chunks)
    if lines is None:
        _copy(Path(source), folder)
    written = write_golden_set(
        folder, documents=lines, queries=asked or [_SAMPLE], judgments=judged
    )
    write_file(folder / GUIDELINE, _template(GUIDELINE))
    golden = read_golden_set(folder, strict=False)
    write_file(folder / _SETTINGS, _settings(golden))
    return (*written, folder / GUIDELINE, folder / _SETTINGS)


def _judgments_in(folder: str | os.PathLike[str]) -> str | os.PathLike[str] | None:
    """Return a folder that has splits unchanged; otherwise its file of judgments."""
    return folder if beir.has_splits(folder) else judgments_in(folder)


def _first_id(source: str, lines: Sequence[Document] | None, chunks: str | None) -> str:
    """Return the id of the first chunk; raise if there is none."""
    if lines is None:
        names = [chunk.chunk_id for chunk in cut(read_sources(source), chunks or "heading")]
    else:
        names = [document.doc_id for document in lines]
    if not names:
        raise FormatError.unexpected("documents with text", "none", source)
    return names[0]


def _first_judgments(chunk_id: str, *, has_queries: bool) -> RelevanceJudgments:
    """Return a sample to replace; none if there are queries already, whose answers are unknown."""
    sample = JudgedQuery(_SAMPLE.query_id, ((chunk_id, 1),))
    queries = () if has_queries else (sample,)
    return RelevanceJudgments("1", _SCALE, None, queries, labels=default_labels(_SCALE))


def _copy(source: Path, folder: Path) -> None:
    """Copy Markdown and text, but not the golden set itself if it is inside."""
    if source.is_file():
        write_file(folder / DOCUMENTS / source.name, source.read_bytes())
        return
    for path in sorted(source.rglob("*")):
        is_inside = folder.resolve() in path.resolve().parents
        if path.suffix.lower() in SOURCE_ENDINGS and path.is_file() and not is_inside:
            write_file(folder / DOCUMENTS / path.relative_to(source), path.read_bytes())


def _settings(golden: GoldenSet) -> bytes:
    """Write the settings of a gate, with thresholds that the judgments allow."""
    facts = b"" if golden.scale is None else f"max_grade = {golden.scale:g}\n".encode()
    text = _template(_SETTINGS).replace(b"max_grade = 3\n", facts)
    if not golden.n_judgments:
        return text
    best = golden.ceilings(_SHARES)
    guards = "".join(
        f'\n[[gate.guard]]\nmeasure = "{measure}"\nat_least = {share * value:.2f}'
        f"  # the best possible is {value:.2f}\n"
        for (measure, value), share in zip(best.items(), _SHARES.values(), strict=True)
    )
    return text + guards.encode()


def _template(name: str) -> bytes:
    return (resources.files(__package__) / "templates" / name).read_bytes()
