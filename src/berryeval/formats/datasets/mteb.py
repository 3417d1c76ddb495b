"""Folders as MTEB and Hugging Face lay out retrieval data sets.

Corpus, queries and qrels are each a file or a folder of files, in JSON lines, Parquet or, for
qrels, a table: ``corpus.jsonl``, ``corpus/corpus-00000-of-00001.parquet``, ``qrels/test.tsv``,
``qrels/test-00000-of-00001.parquet``. Documents have ``_id`` or ``id``, ``title`` and ``text``,
queries ``_id`` or ``id`` and ``text``, judgments ``query-id``, ``corpus-id`` and ``score``.
If a part has files for several splits, those of the chosen one count. A folder of BEIR is one of
these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from berryeval.core.documents import Document
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import FormatError
from berryeval.formats._arrow_files import open_source
from berryeval.formats.corpus import iter_documents, to_document
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.lines import PathLike
from berryeval.formats.queries import read_queries
from berryeval.formats.reading import read_judgments

__all__ = ["read"]

_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
_TABLES = (".tsv", ".tsv.gz", ".tsv.zst")
_JUDGMENTS = ("qrels", "default", "data")


def read(folder: PathLike, split: str = "test") -> Dataset:
    """Read a data set; queries without judgments in the split are left out.

    Raises
    ------
    FormatError
        If a part or the split is missing, or a file cannot be read.
    """
    path = Path(folder)
    corpus, asked = (_required(path, (part,), split) for part in ("corpus", "queries"))
    judged: dict[str, dict[str, float]] = {}
    for file in _required(path, _JUDGMENTS, split):
        for query_id, grades in read_judgments(file).to_dict().items():
            judged.setdefault(query_id, {}).update(grades)
    queries = [query for file in asked for query in _iter_queries(file)]
    return Dataset(
        tuple(query for query in queries if query.query_id in judged),
        Judgments.from_dict(judged),
        lambda: (document for file in corpus for document in _iter_documents(file)),
        str(folder),
    )


def _iter_queries(file: Path) -> Iterator[Query]:
    if file.suffix != ".parquet":
        yield from read_queries(file)
        return
    for number, row in enumerate(_iter_parquet(file), start=1):
        found = to_document(row, file, number)
        yield Query(found.doc_id, found.text)


def _iter_documents(file: Path) -> Iterator[Document]:
    if file.suffix != ".parquet":
        yield from iter_documents(file)
        return
    for number, row in enumerate(_iter_parquet(file), start=1):
        yield to_document(row, file, number)


def _iter_parquet(file: Path) -> Iterator[dict[str, Any]]:
    with open_source(file, "Reading Parquet") as source:
        from pyarrow import parquet

        for batch in parquet.ParquetFile(source).iter_batches():
            yield from batch.to_pylist()


def _required(folder: Path, parts: Sequence[str], split: str) -> list[Path]:
    found = next((files for part in parts if (files := _files(folder, part, split))), None)
    if found is None:
        here = ", ".join(sorted(path.name for path in folder.iterdir())[:10]) or "nothing"
        others = next((files for part in parts if (files := _files(folder, part, None))), ())
        splits = sorted({path.name.partition(".")[0].partition("-")[0] for path in others})
        way_out = f"{parts[0]} has {', '.join(splits)}" if splits else ""
        expected = f"{parts[0]} of the split {split!r}"
        raise FormatError.unexpected(expected, here, str(folder), way_out=way_out)
    return found


def _files(folder: Path, part: str, split: str | None) -> list[Path]:
    """Return the files of a part: of a split, or, if None, of all."""
    endings = (*_ENDINGS, *_TABLES) if part in _JUDGMENTS else _ENDINGS
    alone = [folder / f"{part}{ending}" for ending in endings]
    found = [path for path in alone if path.is_file()][:1]
    if found or not (folder / part).is_dir():
        return found
    files = sorted(path for path in (folder / part).iterdir() if path.name.endswith(endings))
    own = [path for path in files if split is None or _split_of(path) == split]
    # A corpus is often stored once for all splits, under its own name.
    is_shared = part not in _JUDGMENTS and {_split_of(path) for path in files} == {part}
    return files if is_shared else own


def _split_of(path: Path) -> str:
    return path.name.partition(".")[0].partition("-")[0]
