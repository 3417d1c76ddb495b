"""The in-process search engine: BM25, vectors, and both fused. It is the default system."""

from __future__ import annotations

import heapq
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from berryeval.core.documents import Document
from berryeval.core.files import write_whole
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, FormatError, MismatchError, SystemUnderTestError
from berryeval.search.embedding.embedder import Embedder, Vectors, as_embedder, embed_queries
from berryeval.search.hits import Hit, best_hits, check_k
from berryeval.search.system import System, each_once
from berryeval.search.systems.hybrid import (
    HybridSettings,
    default_weights,
    fusion_facts,
    search_hybrid,
    search_hybrid_each,
)
from berryeval.search.systems.late_interaction import Tokens, TokenSets
from berryeval.search.systems.lexical import LexicalIndex
from berryeval.search.systems.rank_fusion import Fusion, check_fusion, fuse_hits
from berryeval.search.systems.vectors import VectorIndex

__all__ = ["Embedded", "Mode", "check_mode"]

Mode: TypeAlias = Literal["bm25", "vector", "hybrid"]
"""How to search: by words, by meaning, or by both."""

_EMBEDDED_AT_ONCE = 1024
_PREFIX = "index-"
_LAYOUT = 2  # version of the folder; raised when older ones can no longer be read


def check_mode(mode: str) -> None:
    """Raise if the mode is unknown."""
    if mode not in get_args(Mode):
        raise ArgumentError("mode", " or ".join(map(repr, get_args(Mode))), repr(mode))


@dataclass(frozen=True)
class _Index:
    """Everything that a search uses, in one object, so that it can be replaced atomically."""

    ids: Sequence[str]
    lexical: LexicalIndex | None
    vectors: VectorIndex | None
    tokens: TokenSets | None
    texts: Sequence[str] = ()
    """The texts of documents, if feedback needs them."""

    def query_words(self, query: str) -> Mapping[str, float]:
        assert self.lexical is not None
        return self.lexical.words_in(query)

    def best_by_words(self, words: Mapping[str, float], k: int) -> Mapping[int, float]:
        assert self.lexical is not None
        return self._best(self.lexical.best(words, k), k)

    def nearest(self, vector: Vectors, k: int) -> Mapping[int, float]:
        assert self.vectors is not None
        return self._best(self.vectors.nearest(vector, k), k)

    def words_of(self, numbers: Sequence[int]) -> Sequence[Mapping[str, float]]:
        assert self.lexical is not None
        return [self.lexical.words_in(self.texts[number]) for number in numbers]

    def vectors_of(self, numbers: Sequence[int]) -> Vectors:
        assert self.vectors is not None
        return self.vectors.vectors[list(numbers)]

    def tokens_of(self, numbers: Sequence[int]) -> Sequence[Tokens]:
        assert self.tokens is not None
        return self.tokens.of(numbers)

    def to_hits(self, scores: Mapping[int, float], k: int) -> list[Hit]:
        return best_hits(((self.ids[number], score) for number, score in scores.items()), k)

    def _best(self, found: Sequence[tuple[int, float]], k: int) -> dict[int, float]:
        """Return the best k; among ties, those with the highest ids."""
        if len(found) <= k:
            return dict(found)
        best = heapq.nlargest(k, found, key=lambda pair: (pair[1], encode_id(self.ids[pair[0]])))
        return dict(best)


class Embedded(System):
    """BM25 by tantivy, vectors by NumPy or usearch, and both fused.

    Parameters
    ----------
    mode : {"hybrid", "bm25", "vector"}
        How to search.
    path : path, optional
        Folder for the index; an existing index is opened. Default: in memory.
    embedder : Embedder or callable, optional
        Source of the vectors. Default: `WordLlama`. Not used by BM25.
    title_weight : float
        Weight of a word in the title relative to the text.
    fusion : {"scores", "ranks"}
        Whether hybrid adds up scores in two rounds, see `berryeval.search.systems.hybrid`, or
        fuses reciprocal ranks.
    weights : pair of float, optional
        Weights of BM25 and vectors in hybrid. Default: 4 and 1 if scores are added up, equal if
        ranks are fused.
    depth : int
        Minimum number of hits of each to fuse; k if that is more.
    late : float
        Weight of the token matching, if scores are added up; 0 turns it off.
    feedback : int
        Number of documents that the second round learns from, if scores are added up; 0 turns
        the second round off.
    constant : float
        Number added to each rank, if ranks are fused: the higher it is, the less the first ranks
        stand out.
    approximate : bool
        Whether to preselect vectors with usearch, for very many of them.

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
        fusion: Fusion = "scores",
        weights: Sequence[float] | None = None,
        depth: int = 100,
        late: float = 1.0,
        feedback: int = 5,
        constant: float = 60.0,
        approximate: bool = False,
    ) -> None:
        check_mode(mode)
        if weights is None:
            weights = default_weights(fusion)
        check_fusion(weights, constant, depth, fusion)
        if title_weight < 0:
            raise ArgumentError("title_weight", "a number from 0", repr(title_weight))
        self.name = mode
        self.mode = mode
        self.path = None if path is None else Path(path)
        self.embedder = as_embedder(embedder)
        self.title_weight = title_weight
        self.fusion = fusion
        self.settings = HybridSettings((weights[0], weights[1]), late, feedback, depth)
        self.constant = constant
        self.approximate = approximate
        self._searched: _Index | None = None
        if self.path is not None and (self.path / "index.json").exists():
            self._open(self.path)

    @property
    def needs_documents(self) -> bool:
        """Whether nothing has been indexed or opened from a folder."""
        return self._searched is None

    def index(self, documents: Iterable[Document]) -> int:
        """Replace all indexed documents; return their number.

        Raises
        ------
        ArgumentError
            For a repeated document.
        MissingExtraError
            If the libraries are not installed.
        """
        found = list(each_once(documents))
        ids = [document.doc_id for document in found]
        folder = None if self.path is None else _new_folder(self.path)
        lexical = vectors = tokens = None
        if self.mode != "vector":
            words = None if folder is None else folder / "words"
            lexical = LexicalIndex.build(found, words, self.title_weight)
        if self.mode != "bm25":
            rows = self._embed(found)
            vectors = VectorIndex(rows, approximate=self.approximate)
            if folder is not None:
                np.save(folder / "vectors.npy", rows)
        if self._has_tokens:
            tokens = TokenSets.build([_whole(document) for document in found])
            if folder is not None:
                tokens.save(folder / "tokens.npz")
        texts = [_whole(document) for document in found] if self._has_texts else []
        if folder is not None and texts:
            write_whole(folder / "texts.json", [json.dumps(texts).encode()])
        self._searched = _Index(ids, lexical, vectors, tokens, texts)
        if self.path is not None and folder is not None:
            facts = {**self._stored(), "folder": folder.name, "ids": ids}
            write_whole(self.path / "index.json", [json.dumps(facts).encode()])
            _remove_others(self.path, folder)
        return len(ids)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first. Vectors find documents for any query.

        Raises
        ------
        SystemUnderTestError
            If nothing was indexed.
        """
        check_k(k)
        index = self._index
        if self.mode == "bm25":
            return index.to_hits(index.best_by_words(index.query_words(query), k), k)
        vector = embed_queries(self.embedder, [query])[0]
        if self.mode == "vector":
            return index.to_hits(index.nearest(vector, k), k)
        settings = replace(self.settings, depth=max(k, self.settings.depth))
        if self.fusion == "scores":
            return index.to_hits(search_hybrid(index, query, vector, settings), k)
        rankings = [
            index.to_hits(scores, settings.depth)
            for scores in (
                index.best_by_words(index.query_words(query), settings.depth),
                index.nearest(vector, settings.depth),
            )
        ]
        return fuse_hits(rankings, k, weights=settings.weights, constant=self.constant)

    def search_each(self, query: str, k: int, several: Iterable[HybridSettings]) -> list[list[Hit]]:
        """Return the hits of hybrid search by scores with each of several settings.

        The index must have what they need: it was built with `late` and `feedback` above 0.
        """
        check_k(k)
        vector = embed_queries(self.embedder, [query])[0]
        index, deep = self._index, (replace(one, depth=max(k, one.depth)) for one in several)
        return [index.to_hits(found, k) for found in search_hybrid_each(index, query, vector, deep)]

    def varied(self, mode: Mode | None = None, **changes: Any) -> Embedded:  # noqa: ANN401
        """Return an engine with some settings changed, which searches the same index.

        Parameters
        ----------
        mode : {"hybrid", "bm25", "vector"}, optional
            How to search, if the index has what that needs.
        **changes
            Other settings of the constructor, except `path`, `embedder` and `approximate`. All
            that are not given stay the same, including the weights if the fusion changes.

        Raises
        ------
        ArgumentError
            If a setting is invalid, or needs more than the index has.
        """
        index = self._index
        settings: dict[str, Any] = {
            "title_weight": self.title_weight,
            "fusion": self.fusion,
            "weights": self.settings.weights,
            "depth": self.settings.depth,
            "late": self.settings.late,
            "feedback": self.settings.feedback,
            "constant": self.constant,
            **changes,
        }
        found = Embedded(
            mode or self.mode, embedder=self.embedder, approximate=self.approximate, **settings
        )
        found.name = self.name
        lacks = {
            "mode": (found.mode != "vector" and index.lexical is None)
            or (found.mode != "bm25" and index.vectors is None),
            "late": found._has_tokens and index.tokens is None,
            "feedback": found._has_texts and bool(index.ids) and not index.texts,
        }
        for name in (name for name, is_lacking in lacks.items() if is_lacking):
            raise ArgumentError(name, "a value that this index was built for", "another")
        lexical = index.lexical and index.lexical.weighted(found.title_weight)
        found._searched = replace(index, lexical=lexical)
        return found

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that affect the results."""
        facts = {"system": "embedded", **self._index_facts()}
        if self.mode != "vector":
            facts["title_weight"] = f"{self.title_weight:g}"
        if self.mode == "hybrid":
            facts |= fusion_facts(self.fusion, self.settings, self.constant)
        if self.mode != "bm25":
            facts["nearest"] = "approximate" if self.approximate else "exact"
        return facts

    def close(self) -> None:
        """Release the index; an index in a folder is kept."""
        self._searched = None

    def _embed(self, documents: Sequence[Document]) -> Vectors:
        pieces = [
            self.embedder.embed([_whole(d) for d in documents[start : start + _EMBEDDED_AT_ONCE]])
            for start in range(0, len(documents), _EMBEDDED_AT_ONCE)
        ]
        return np.concatenate(pieces) if pieces else np.zeros((0, 1), dtype=np.float32)

    @property
    def _index(self) -> _Index:
        if self._searched is None:
            raise SystemUnderTestError(
                self.name, "nothing is indexed; name documents, or call index(documents)"
            )
        return self._searched

    @property
    def _has_tokens(self) -> bool:
        return self.mode == "hybrid" and self.fusion == "scores" and self.settings.late > 0

    @property
    def _has_texts(self) -> bool:
        return self.mode == "hybrid" and self.fusion == "scores" and self.settings.feedback > 0

    def _index_facts(self) -> dict[str, str]:
        """Return the settings that an index depends on."""
        facts: dict[str, str] = {"mode": self.mode}
        if self.mode != "bm25":
            facts["embedder"] = self.embedder.name
        return facts

    def _stored(self) -> dict[str, Any]:
        """Return the facts that must match when an index is opened."""
        kept = {"tokens": self._has_tokens, "texts": self._has_texts}
        return {"layout": _LAYOUT, **self._index_facts(), **kept}

    def _open(self, folder: Path) -> None:
        try:
            facts = json.loads((folder / "index.json").read_bytes())
            wanted = self._stored()
            stored = {key: facts.get(key) for key in wanted}
            if stored != wanted:
                message = f"{folder}: this index was built with {stored}, not with {wanted}"
                raise MismatchError(f"{message}; choose another folder, or delete this one")
            lexical = vectors = tokens = None
            if self.mode != "vector":
                words = folder / facts["folder"] / "words"
                lexical = LexicalIndex.open(words, self.title_weight)
            if self.mode != "bm25":
                rows = np.load(folder / facts["folder"] / "vectors.npy")
                vectors = VectorIndex(rows, approximate=self.approximate)
            if self._has_tokens:
                tokens = TokenSets.open(folder / facts["folder"] / "tokens.npz")
            path = folder / facts["folder"] / "texts.json"
            texts = json.loads(path.read_bytes()) if self._has_texts and facts["ids"] else []
            self._searched = _Index(facts["ids"], lexical, vectors, tokens, texts)
        except (OSError, ValueError, KeyError, AttributeError) as error:
            if isinstance(error, MismatchError):
                raise
            raise FormatError.unexpected(
                "a BerryEval index", f"something else ({error})", str(folder)
            ) from error


def _whole(document: Document) -> str:
    return f"{document.title}\n{document.text}".strip()


def _new_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=path))
    (folder / "words").mkdir()
    return folder


def _remove_others(path: Path, kept: Path) -> None:
    """Remove older indexes; files that another process has open may stay until the next time."""
    for folder in path.glob(f"{_PREFIX}*"):
        if folder.name != kept.name:  # one of them may be relative
            shutil.rmtree(folder, ignore_errors=True)
