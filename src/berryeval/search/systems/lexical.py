"""BM25 over titles and texts by tantivy, with English stemming and without English stop words.

In a small collection "what" and "how" are rare, and would outweigh the topic of a question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from berryeval.core.documents import Document
from berryeval.errors import MissingExtraError
from berryeval.search.embedding.embedder import encodable
from berryeval.search.stop_words import STOP_WORDS

if TYPE_CHECKING:
    import tantivy

__all__ = ["LexicalIndex", "words_of"]

_WORD = re.compile(r"[^\W_]+")
_MEMORY = 64 << 20
_ANALYZER = "english"
_LONGEST_WORD = 40
_SPARE = 16  # hits beyond k, to detect ties with the last one


def words_of(query: str) -> list[str]:
    """Return the words of a query in lower case, without query-language syntax."""
    return _WORD.findall(query.lower())


class LexicalIndex:
    """An index of documents by their words; documents are identified by number.

    Parameters
    ----------
    index : tantivy.Index
        The index, created by `build` or `open`.
    title_weight : float
        Weight of a word in the title relative to the text; with 1 both are one text, and with 0
        titles are not searched.
    """

    def __init__(self, index: tantivy.Index, title_weight: float) -> None:
        # By default, a thread would watch the folder for changes.
        index.config_reader(reload_policy="manual")
        self._searcher = index.searcher()
        self._schema = index.schema
        self._analyzer = _analyzer()
        self._weights = _field_weights(title_weight)

    @classmethod
    def build(
        cls, documents: Iterable[Document], folder: Path | None, title_weight: float
    ) -> LexicalIndex:
        """Index documents, in memory if no folder is given.

        Raises
        ------
        MissingExtraError
            If tantivy is not installed.
        """
        library = _library()
        schema = library.SchemaBuilder()
        schema.add_integer_field("number", fast=True)
        for field in _field_weights(title_weight):
            schema.add_text_field(field, tokenizer_name=_ANALYZER)
        index = library.Index(schema.build(), path=None if folder is None else str(folder))
        index.register_tokenizer(_ANALYZER, _analyzer())
        # One thread, so that the order of the documents is always the same.
        writer = index.writer(heap_size=_MEMORY, num_threads=1)
        for number, document in enumerate(documents):
            title, text = encodable(document.title), encodable(document.text)
            fields = {"title": title, "text": text, "whole": f"{title}\n{text}"}
            writer.add_document(library.Document(number=number, **fields))
        writer.commit()
        writer.wait_merging_threads()
        return cls(index, title_weight)

    @classmethod
    def open(cls, folder: Path, title_weight: float) -> LexicalIndex:
        """Open an index that `build` wrote to a folder."""
        return cls(_library().Index.open(str(folder)), title_weight)

    def weighted(self, title_weight: float) -> LexicalIndex:
        """Return the same index with another weight of titles."""
        found = copy(self)
        found._weights = _field_weights(title_weight)  # noqa: SLF001 - of the same class
        return found

    def words_in(self, text: str) -> Counter[str]:
        """Return the analysed words of a text, and how often they occur."""
        return Counter(self._analyzer.analyze(" ".join(words_of(text))))

    def best(self, words: Mapping[str, float], k: int) -> list[tuple[int, float]]:
        """Return numbers and scores of the best k, unordered, with all ties of the last.

        The score of a document is the sum over `words`, as returned by `words_in`, times their
        weights.
        """
        parsed = self._parse(words)
        limit = k + _SPARE
        while True:
            hits = self._searcher.search(parsed, limit, count=False).hits
            if len(hits) < limit or hits[-1][0] < hits[k - 1][0]:
                break
            limit *= 4
        least = hits[min(k, len(hits)) - 1][0] if hits else 0.0
        best = [hit for hit in hits if hit[0] >= least]
        numbers = self._numbers_at([address for _, address in best])
        return [(number, score) for number, (score, _) in zip(numbers, best, strict=True)]

    def _numbers_at(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """Return the numbers of documents; earlier versions stored them with the document."""
        try:
            return cast("list[int]", self._searcher.fast_field_values("number", addresses))
        except ValueError:
            return [self._searcher.doc(address)["number"][0] for address in addresses]

    def _parse(self, words: Mapping[str, float]) -> tantivy.Query:
        """Search for any of the words in any field; queries cannot contain operators."""
        library = _library()
        wanted = [
            (
                library.Occur.Should,
                library.Query.boost_query(
                    library.Query.term_query(self._schema, field, word), weight * times
                ),
            )
            for word, times in words.items()
            for field, weight in self._weights.items()
            if weight > 0
        ]
        parsed: tantivy.Query = library.Query.boolean_query(wanted)
        return parsed


def _field_weights(title_weight: float) -> dict[str, float]:
    """Return the weight of each field.

    Title and text are searched as one field, with common statistics of word frequencies and
    lengths; separate fields would have separate statistics.
    """
    return {
        "text": max(1.0 - title_weight, 0.0),
        "whole": min(title_weight, 1.0),
        "title": max(title_weight - 1.0, 0.0),
    }


def _analyzer() -> tantivy.TextAnalyzer:
    """Create the analyzer for texts and queries. An index does not store it."""
    library = _library()
    analyzer = library.TextAnalyzerBuilder(library.Tokenizer.simple())
    for step in (
        library.Filter.remove_long(_LONGEST_WORD),
        library.Filter.lowercase(),
        library.Filter.custom_stopword(list(STOP_WORDS)),
        library.Filter.stemmer("english"),
    ):
        analyzer = analyzer.filter(step)
    built: tantivy.TextAnalyzer = analyzer.build()
    return built


def _library() -> ModuleType:
    try:
        import tantivy
    except ImportError:
        raise MissingExtraError("The embedded search engine", "search") from None
    return tantivy
