"""A search engine inside the process: BM25, vectors, and both fused. The default of everything."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from berryeval.core.documents import Document
from berryeval.core.files import write_whole
from berryeval.errors import ArgumentError, BackendError, FormatError, MismatchError
from berryeval.search.embedding import Embedder, Vectors, as_embedder
from berryeval.search.hits import Hit, best_hits, check_k
from berryeval.search.lexical import LexicalIndex
from berryeval.search.rank_fusion import check_fusion, fuse_hits
from berryeval.search.system import System, each_once
from berryeval.search.vectors import VectorIndex

__all__ = ["Embedded", "Mode", "check_mode"]

Mode: TypeAlias = Literal["bm25", "vector", "hybrid"]
"""How to search: by words, by meaning, or by both."""

_EMBEDDED_AT_ONCE = 1024
_PREFIX = "index-"
_LAYOUT = 1  # of the folder; raised when an older one can no longer be read


def check_mode(mode: str) -> None:
    """Raise unless there is such a way to search."""
    if mode not in get_args(Mode):
        raise ArgumentError("mode", " or ".join(map(repr, get_args(Mode))), repr(mode))


@dataclass(frozen=True)
class _Index:
    """What is searched, as a whole: it is replaced at once while others search."""

    ids: Sequence[str]
    lexical: LexicalIndex | None
    vectors: VectorIndex | None

    def search_words(self, query: str, k: int) -> list[Hit]:
        assert self.lexical is not None
        return self._named(self.lexical.best(query, k), k)

    def search_vectors(self, vector: Vectors, k: int) -> list[Hit]:
        assert self.vectors is not None
        return self._named(self.vectors.nearest(vector, k), k)

    def _named(self, found: Iterable[tuple[int, float]], k: int) -> list[Hit]:
        return best_hits(((self.ids[number], score) for number, score in found), k)


class Embedded(System):
    """BM25 by tantivy, vectors by NumPy or usearch, and hybrid by reciprocal rank fusion.

    Parameters
    ----------
    mode : {"hybrid", "bm25", "vector"}
        How to search.
    path : path, optional
        A folder to keep the index in; one that is there already is opened. In memory without it.
    embedder : Embedder or callable, optional
        What makes vectors; `WordLlama` unless given. Not used by BM25.
    title_weight : float
        How much more a word counts in the title than in the text.
    weights : pair of float
        What the ranks of BM25 and of the vectors are worth in a fusion.
    constant : float
        What is added to each rank in a fusion: the higher, the less the first ranks stand out.
    depth : int
        How many hits of each are fused, at least; k if that is more.
    approximate : bool
        Whether to narrow vectors down by usearch before comparing them, for very many.

    Examples
    --------
    >>> system = Embedded("bm25")
    >>> system.index([Document("d1", "Renew tokens hourly."), Document("d2", "Ripe bananas.")])
    2
    >>> [hit.doc_id for hit in system.search("token renewal", k=10)]
    ['d1']
    """

    def __init__(
        self,
        mode: Mode = "hybrid",
        *,
        path: str | os.PathLike[str] | None = None,
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        title_weight: float = 1.0,
        weights: Sequence[float] = (1.0, 1.0),
        constant: float = 60.0,
        depth: int = 100,
        approximate: bool = False,
    ) -> None:
        check_mode(mode)
        check_fusion(weights, constant, depth)
        if title_weight < 0:
            raise ArgumentError("title_weight", "a number from 0", repr(title_weight))
        self.name = mode
        self.mode = mode
        self.path = None if path is None else Path(path)
        self.embedder = as_embedder(embedder)
        self.title_weight = title_weight
        self.weights = tuple(weights)
        self.constant = constant
        self.depth = depth
        self.approximate = approximate
        self._searched: _Index | None = None
        if self.path is not None and (self.path / "index.json").exists():
            self._open(self.path)

    def index(self, documents: Iterable[Document]) -> int:
        """Take documents in place of all that were searched before; return how many.

        Raises
        ------
        ArgumentError
            For a document that comes twice.
        MissingExtraError
            If the libraries are not installed.
        """
        found = list(each_once(documents))
        ids = [document.doc_id for document in found]
        folder = None if self.path is None else _new_folder(self.path)
        lexical = vectors = None
        if self.mode != "vector":
            words = None if folder is None else folder / "words"
            lexical = LexicalIndex.build(found, words, self.title_weight)
        if self.mode != "bm25":
            rows = self._embed(found)
            vectors = VectorIndex(rows, approximate=self.approximate)
            if folder is not None:
                np.save(folder / "vectors.npy", rows)
        self._searched = _Index(ids, lexical, vectors)
        if self.path is not None and folder is not None:
            facts = {"layout": _LAYOUT, **self._made_of(), "folder": folder.name, "ids": ids}
            write_whole(self.path / "index.json", [json.dumps(facts).encode()])
            _remove_others(self.path, folder)
        return len(ids)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first. Vectors find something for any word.

        Raises
        ------
        BackendError
            If nothing was indexed.
        """
        check_k(k)
        index = self._searched
        if index is None:
            raise BackendError(
                self.name, "nothing is indexed; name documents, or call index(documents)"
            )
        if self.mode == "bm25":
            return index.search_words(query, k)
        vector = self.embedder.embed([query])[0]
        if self.mode == "vector":
            return index.search_vectors(vector, k)
        depth = max(k, self.depth)
        rankings = [index.search_words(query, depth), index.search_vectors(vector, depth)]
        return fuse_hits(rankings, k, weights=self.weights, constant=self.constant)

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that decide what is found."""
        facts = {"system": "embedded", **self._made_of()}
        if self.mode != "vector":
            facts["title_weight"] = f"{self.title_weight:g}"
        if self.mode == "hybrid":
            facts["weights"] = " ".join(f"{weight:g}" for weight in self.weights)
            facts |= {"constant": f"{self.constant:g}", "depth": str(self.depth)}
        if self.mode != "bm25":
            facts["nearest"] = "approximate" if self.approximate else "exact"
        return facts

    def close(self) -> None:
        """Forget the index; one in a folder stays there."""
        self._searched = None

    def _embed(self, documents: Sequence[Document]) -> Vectors:
        pieces = [
            self.embedder.embed([_whole(d) for d in documents[start : start + _EMBEDDED_AT_ONCE]])
            for start in range(0, len(documents), _EMBEDDED_AT_ONCE)
        ]
        return np.concatenate(pieces) if pieces else np.zeros((0, 1), dtype=np.float32)

    def _made_of(self) -> dict[str, str]:
        """Return what an index cannot do without."""
        facts: dict[str, str] = {"mode": self.mode}
        if self.mode != "bm25":
            facts["embedder"] = self.embedder.name
        return facts

    def _open(self, folder: Path) -> None:
        try:
            facts = json.loads((folder / "index.json").read_bytes())
            stored = {key: facts.get(key) for key in ("layout", *self._made_of())}
            wanted = {"layout": _LAYOUT, **self._made_of()}
            if stored != wanted:
                message = f"{folder}: the index there was made with {stored}, not with {wanted}"
                raise MismatchError(f"{message}; choose another folder, or delete this one")
            lexical = vectors = None
            if self.mode != "vector":
                words = folder / facts["folder"] / "words"
                lexical = LexicalIndex.open(words, self.title_weight)
            if self.mode != "bm25":
                rows = np.load(folder / facts["folder"] / "vectors.npy")
                vectors = VectorIndex(rows, approximate=self.approximate)
            self._searched = _Index(facts["ids"], lexical, vectors)
        except (OSError, ValueError, KeyError, AttributeError) as error:
            if isinstance(error, MismatchError):
                raise
            message = f"expected an index of ours, found something else ({error})"
            raise FormatError(message, str(folder)) from error


def _whole(document: Document) -> str:
    return f"{document.title}\n{document.text}".strip()


def _new_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=path))
    (folder / "words").mkdir()
    return folder


def _remove_others(path: Path, kept: Path) -> None:
    """Remove older indexes; what another process still reads may stay until the next time."""
    for folder in path.glob(f"{_PREFIX}*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)
