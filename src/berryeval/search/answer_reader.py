"""Reads the answers of Python code: ids, pairs, dicts, and the documents of RAG frameworks.

A path such as ``metadata.doc_id`` leads through attributes of objects and keys of dicts;
``metadata`` also finds Haystack's ``meta``. The following are used if no path is set:

========  ==========================================================================
id        ``node_id`` of LlamaIndex, ``doc_id``, ``id``, ``_id``, ``chunk_id``, or ``doc``
          beside a text; otherwise the position of the chunk in its document, such as
          ``guide.md#120-340``; otherwise a hash of its text, with a warning
score     ``score``, if every hit has one
source    the document of a chunk: ``ref_doc_id``, or ``source``, ``source_id``, ``doc_id``,
          ``document_id``, ``file_name`` or ``file_path``, in the metadata or of the hit itself
start     the first character of a chunk in its document: LangChain's ``start_index``,
          LlamaIndex's ``start_char_idx``, Haystack's ``split_idx_start``
========  ==========================================================================
"""

from __future__ import annotations

import operator
import re
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from berryeval.core.content_id import content_id
from berryeval.core.events import event_logger
from berryeval.core.id_column import as_id
from berryeval.errors import AnswerError, ArgumentError, InputTypeError
from berryeval.search.hits import (
    Duplicates,
    Excess,
    Hit,
    check_duplicates,
    check_excess,
    to_hits,
)
from berryeval.search.places import Place

__all__ = ["HASH", "AnswerReader"]

HASH = "hash"
"""The value of `id` for hashes of the texts."""

_IDS = ("node_id", "doc_id", "id", "_id", "chunk_id")
_SHORT_ID = "doc"
_TEXTS = ("page_content", "content", "text")
_NAMES = ("source", "source_id", "doc_id", "document_id", "file_name", "file_path")
_SOURCES = ("ref_doc_id", *(f"metadata.{name}" for name in _NAMES), *_NAMES)
_STARTS = ("start_char_idx", "metadata.start_index", "metadata.split_idx_start")
_LIKELY_IDS = (
    "id", "key", "doc", "document", "article", "source", "name", "url", "uri", "path", "title"
)  # fmt: skip
"""Words in the names of fields that may have the id of a hit."""
_META = {"metadata": "meta", "meta": "metadata"}
_PAIR = 2
_SETTINGS = ("duplicates", "excess", "id", "score", "source", "start")

_log = event_logger(__name__)


class AnswerReader:
    """Converts what Python code returns to hits, and remembers where they come from.

    Several threads may read at once.

    Parameters
    ----------
    id : str, optional
        The path to the id of a hit, such as ``metadata.doc_id``; ``hash`` for a hash of its text.
    score : str, optional
        The path to its score. Without it, ``score`` is used if `has_scores`.
    source, start : str, optional
        The paths to the name of a chunk's document, and to its first character there.
    excess, duplicates : str
        As in `berryeval.search.to_hits`. By default, hits with one id and different texts are
        chunks of one document, which counts once, and other repeated hits are errors.
    has_scores : bool
        Whether to look for scores if no path to them is given. If not, the order counts.
    """

    def __init__(
        self,
        *,
        id: str | None = None,
        score: str | None = None,
        source: str | None = None,
        start: str | None = None,
        excess: Excess = "error",
        duplicates: Duplicates | None = None,
        has_scores: bool = True,
    ) -> None:
        self.places: dict[str, Place] = {}
        """Where the chunks that were read come from, by id."""
        self.likely_id: str | None = None
        """The setting that probably names the ids of hits; None if no hit had to be hashed."""
        self._id = id
        self._score = score
        self._sources = _SOURCES if source is None else (source,)
        self._starts = _STARTS if start is None else (start,)
        self._excess = check_excess(excess)
        self._duplicates = None if duplicates is None else check_duplicates(duplicates)
        self._has_scores = has_scores or score is not None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> AnswerReader:
        """Return a reader with settings by name, or raise `ArgumentError` for an unknown one."""
        for name in settings:
            if name not in _SETTINGS:
                expected = f"one of a function's ({', '.join(_SETTINGS)})"
                raise ArgumentError("setting", expected, repr(name))
        return cls(**settings)

    def settings(self) -> dict[str, str]:
        """Return the settings that change which hits are read, for fingerprints."""
        given = {
            "id": self._id,
            "score": self._score,
            "excess": None if self._excess == "error" else self._excess,
            "duplicates": self._duplicates,
        }
        return {name: value for name, value in given.items() if value is not None}

    def read(self, answer: object, k: int, system: str) -> list[Hit]:
        """Return the hits of an answer, best first.

        Raises
        ------
        AnswerError
            If it is not a ranking, see `berryeval.search.to_hits`; if a path leads nowhere; and
            if a hit has neither an id nor a text.
        """
        duplicates = self._duplicates or "error"
        if isinstance(answer, Mapping) and any(map(_is_container, answer.values())):
            found = f"a dict with the keys {', '.join(map(str, answer))}; return the list alone"
            raise AnswerError(system, f"expected a list of hits, got {found}")
        if not isinstance(answer, (str, bytes, Mapping)) and isinstance(answer, Iterable):
            hits = list(answer)
            answer = self._plain(hits, system)
            if self._duplicates is None and _are_chunks(answer, hits):
                duplicates = "keep-best"
        return to_hits(
            answer, k, system, excess=self._excess, duplicates=duplicates, has_settings=True
        )

    def _plain(self, answer: list[object], system: str) -> list[Any]:
        """Replace objects by their ids, or by pairs of an id and a score."""
        found: list[Any] = []
        scores: list[object] = []
        texts: set[str] = set()
        for rank, one in enumerate(answer, start=1):
            if _is_id(one):
                found.append(one)
            elif isinstance(one, (tuple, list)) and len(one) == _PAIR:
                hit = one[0] if _is_plain(one[0]) else self._id_of(one[0], rank, system, texts)
                found.append((hit, one[1]))
            elif _is_plain(one):
                found.append(one)  # `to_hits` rejects it
            else:
                found.append((self._id_of(one, rank, system, texts), -float(rank)))
                scores.append(self._score_of(one, rank, system))
        if None in scores or len(scores) < len(answer):
            return found
        return [(pair[0], score) for pair, score in zip(found, scores, strict=True)]

    def _id_of(
        self,
        one: Any,  # noqa: ANN401 - any object
        rank: int,
        system: str,
        texts: set[str],
    ) -> object:
        place = self._place_of(one)
        found: object = None
        if self._id is None:
            found = next((v for name in _IDS if (v := _at(one, name)) is not None), None)
            if found is None:
                found = _short_id(one)
            if found is None and place.sources and place.start is not None:
                found = f"{next(iter(place.sources.values()))}#{place.start}-{place.end}"
        elif self._id != HASH:
            found = _at(one, self._id)
            if found is None:
                way_out = f"choose the path to ids with the setting id; {_known(one)}"
                message = f"hit {rank}: expected {self._id} as document id, got none; {way_out}"
                raise AnswerError(system, message).suggest(_likely_id(one))
        if found is None:
            found = self._hash_of(one, rank, system, texts)
        with suppress(InputTypeError):  # `to_hits` rejects it
            self.places.setdefault(as_id(found, "doc_id"), place)
        return found

    def _hash_of(self, one: object, rank: int, system: str, texts: set[str]) -> str:
        """Return the hash of a hit's text; `texts` are those of the hits before it."""
        text = _text_of(one)
        if text is None:
            way_out = f"choose the path to ids with the setting id; {_known(one)}"
            expected = "a document id and a score, a dict or an object with an id"
            message = f"hit {rank}: expected {expected}, got {type(one).__name__}; {way_out}"
            raise AnswerError(system, message).suggest(_likely_id(one))
        if self._id is None:
            way_out = f"choose the path to ids with the setting id; {_known(one)}"
            if text in texts and self._duplicates != "keep-best":
                message = f"hit {rank}: expected an id, got none, and the text of an earlier hit"
                raise AnswerError(system, f"{message}; {way_out}").suggest(_likely_id(one))
            texts.add(text)
            with self._lock:
                is_first = self.likely_id is None
                self.likely_id = self.likely_id or _likely_id(one)
            if is_first:
                facts = {"system": system, "way_out": way_out}
                _log.warning("documents without ids are identified by their text", extra=facts)
        return content_id(text)

    def _score_of(self, one: object, rank: int, system: str) -> object:
        if not self._has_scores:
            return None
        found = _at(one, self._score or "score")
        if found is None and self._score is not None:
            message = f"hit {rank}: expected {self._score} as score, got none; {_known(one)}"
            raise AnswerError(system, message)
        return found

    def _place_of(self, one: object) -> Place:
        sources = {}
        for path in self._sources:
            found = _at(one, path)
            if _is_id(found):
                sources[path] = as_id(found, "source")
        start = next(
            (v for path in self._starts if (v := _whole(_at(one, path))) is not None), None
        )
        end = _whole(_at(one, "end_char_idx"))
        if start is not None and (end is None or end <= start):
            text = _text_of(one)
            end = start + len(text) if text else None
        return Place(sources, start, end) if end is not None else Place(sources)


def _are_chunks(found: list[Any], hits: list[object]) -> bool:
    """Whether every repeated id has hits with different texts."""
    texts: dict[object, list[str | None]] = {}
    for one, hit in zip(found, hits, strict=True):
        if isinstance(one, (tuple, list)) and len(one) == _PAIR and not _is_plain(one[0]):
            return False  # which `to_hits` rejects
        is_pair = isinstance(hit, (tuple, list)) and len(hit) == _PAIR
        inner = hit[0] if is_pair else hit  # type: ignore[index]  # a pair has two
        text = None if _is_plain(inner) else _text_of(inner)
        texts.setdefault(one[0] if isinstance(one, tuple) else one, []).append(text)
    return all(
        None not in several and len(set(several)) == len(several)
        for several in texts.values()
        if len(several) > 1
    )


def _is_id(one: object) -> bool:
    return isinstance(one, str) or (hasattr(one, "__index__") and not isinstance(one, bool))


def _is_container(value: object) -> bool:
    return isinstance(value, (list, tuple, Mapping))


def _is_plain(one: object) -> bool:
    """Whether a value can have neither an id nor a text in it."""
    is_record = isinstance(one, tuple) and hasattr(one, "_fields")
    simple = (str, bytes, bool, int, float, tuple, list, set, type(None))
    return not is_record and (isinstance(one, simple) or hasattr(one, "__index__"))


def _at(one: Any, path: str) -> Any:  # noqa: ANN401 - whatever is there
    """Return the value at a path; None if there is none. Nodes are looked into."""
    found = _follow(one, path)
    inner = _member(one, "node")
    return _follow(inner, path) if found is None and inner is not None else found


def _follow(one: Any, path: str) -> Any:  # noqa: ANN401 - whatever is there
    if isinstance(one, Mapping) and path in one:
        return one[path]
    name, _, rest = path.partition(".")
    found = _member(one, name)
    if found is None and name in _META:
        found = _member(one, _META[name])
    return found if found is None or not rest else _follow(found, rest)


def _member(one: Any, name: str) -> Any:  # noqa: ANN401 - whatever is there
    if isinstance(one, Mapping):
        return one.get(name)
    with suppress(Exception):  # a property of another package can raise anything
        found = getattr(one, name, None)
        return None if callable(found) else found
    return None


def _text_of(one: object) -> str | None:
    return next((text for name in _TEXTS if isinstance(text := _at(one, name), str)), None)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    with suppress(TypeError):
        number = operator.index(value)  # type: ignore[arg-type]
        return number if number >= 0 else None
    return None


def _short_id(one: object) -> object:
    """Return ``doc`` of a hit that has a text besides; it may also be the document itself."""
    found = _at(one, _SHORT_ID)
    return found if _is_id(found) and _text_of(one) not in (None, found) else None


def _likely_id(one: object) -> str:
    """Return the setting that names a field which may have the id of a hit."""
    metadata = _at(one, "metadata")
    for fields, start in ((one, ""), (metadata, "metadata.")):
        names = [*map(str, fields)] if isinstance(fields, Mapping) else []
        for part in _LIKELY_IDS:
            name = next((name for name in names if part in re.split(r"[\W_]+", name.lower())), None)
            if name is not None:
                return f"id={start}{name}"
    return "id=FIELD"


def _known(one: object) -> str:
    """Return which paths there are, for messages."""
    metadata = _at(one, "metadata")
    if isinstance(metadata, Mapping) and metadata:
        return f"its metadata has {', '.join(map(str, metadata))}"
    if isinstance(one, Mapping):
        return f"it has {', '.join(map(str, one)) or 'no keys'}"
    return "it has no metadata"
