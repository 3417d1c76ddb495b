"""OpenSearch and Elasticsearch as a system: words, vectors, both, or a custom query."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

from berryeval.core.documents import Document
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.embedding.embedder import Embedder, as_embedder
from berryeval.search.exchange import Exchange, StatusError, check_address
from berryeval.search.hits import Hit, check_k
from berryeval.search.hosts import AllowedHosts
from berryeval.search.limits import Limits, retried
from berryeval.search.system import System, each_once
from berryeval.search.systems.opensearch import dsl
from berryeval.search.systems.opensearch.answers import (
    dialect_of,
    explained,
    hits_of,
    made_by,
    read_bulk,
)
from berryeval.search.systems.opensearch.dsl import Dialect
from berryeval.search.systems.opensearch.place import (
    authorization,
    check_index_name,
    place_and_index,
    quoted,
)
from berryeval.search.systems.opensearch.query_template import QueryTemplate
from berryeval.search.systems.rank_fusion import check_fusion, fuse_hits

__all__ = ["OpenSearch", "OpenSearchMode"]

OpenSearchMode: TypeAlias = Literal["bm25", "vector", "hybrid", "knn"]
"""How to search: by words, by meaning, or by both; ``knn`` is an alias of ``vector``."""

_AT_ONCE = 500
_LONGEST_BULK = 8 << 20
_LONGEST_ID = 512  # bytes, the limit of both engines
_NDJSON = "application/x-ndjson"


class OpenSearch(System):
    """An index of OpenSearch or Elasticsearch.

    Hybrid searches words and vectors in one request (``_msearch``) and fuses the ranks in
    BerryEval: Elasticsearch's own fusion requires a licence, and OpenSearch's a search pipeline. A
    template can use either of them.

    Parameters
    ----------
    url : str
        Address of the engine, with the index as the last part: ``https://host:9200/docs``. A user
        name and password before the host are sent as ``Authorization``. Redirects are not
        followed.
    index : str, optional
        The index, an alias, or several with commas, if `url` does not contain it.
    mode : {"hybrid", "bm25", "vector"}
        How to search; ``"knn"`` is an alias of ``"vector"``. Not used with a template.
    dialect : {"opensearch", "elasticsearch"}, optional
        The engine. Default: detected, with one request. Only vectors differ.
    template : mapping or str, optional
        Your own query, see `QueryTemplate`: the body of a search as JSON, or a file with it.
    search_pipeline : str, optional
        For a template: the OpenSearch pipeline for its results.
    user, password, api_key : str, optional
        Credentials. Default: the environment variables ``OPENSEARCH_USER``,
        ``OPENSEARCH_PASSWORD`` and ``OPENSEARCH_API_KEY``. Fingerprints and messages never contain
        them.
    fields : sequence of str
        Text fields, with weights in the engine's syntax: ``"title^2"``.
    vector_field : str
        The field with vectors.
    embedder : Embedder or callable, optional
        Source of the vectors. Default: `WordLlama`.
    weights, constant, depth
        Settings of the fusion, as in `Embedded`: words first, vectors second. `depth` is also the
        minimum number of nearest vectors to consider.
    headers : mapping, optional
        Additional headers.
    timeout : float
        Seconds to wait for each response.
    limits : Limits, optional
        Number of retries of `index` if the engine is busy; the caller retries searches.
    name : str
        Name of the system in messages.
    hosts : AllowedHosts, optional
        Requests go only to these hosts. If omitted, any address is allowed.

    Raises
    ------
    ArgumentError
        For an invalid setting.

    Examples
    --------
    >>> system = OpenSearch(
    ...     "http://127.0.0.1:9200/docs",
    ...     template='{"query": {"match": {"text": "{{query}}"}}, "size": {{k}}}',
    ... )
    >>> system.fingerprint()["index"]
    'docs'
    """

    def __init__(
        self,
        url: str,
        index: str | None = None,
        mode: OpenSearchMode = "hybrid",
        *,
        dialect: Dialect | None = None,
        template: Mapping[str, Any] | str | None = None,
        search_pipeline: str | None = None,
        user: str | None = None,
        password: str | None = None,
        api_key: str | None = None,
        fields: Sequence[str] = ("title", "text"),
        vector_field: str = "vector",
        embedder: Embedder | Callable[[list[str]], Any] | None = None,
        weights: Sequence[float] = (1.0, 1.0),
        constant: float = 60.0,
        depth: int = 100,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        limits: Limits | None = None,
        name: str = "opensearch",
        hosts: AllowedHosts | None = None,
    ) -> None:
        parts = check_address(url)
        place, index_name = place_and_index(parts, index)
        if mode not in get_args(OpenSearchMode):
            raise ArgumentError("mode", "'bm25', 'vector' or 'hybrid'", repr(mode))
        if dialect is not None and dialect not in get_args(Dialect):
            raise ArgumentError("dialect", " or ".join(map(repr, get_args(Dialect))), repr(dialect))
        if search_pipeline is not None and template is None:
            raise ArgumentError("search_pipeline", "a template with it", "none")
        if not fields or not all(fields):
            raise ArgumentError("fields", "at least one name", repr(fields))
        check_fusion(weights, constant, depth)
        self.name = name
        self.url = place
        self.index_name = index_name
        self.mode = "vector" if mode == "knn" else mode
        self.template = None if template is None else QueryTemplate(template)
        self.search_pipeline = search_pipeline
        self.fields = tuple(fields)
        self.vector_field = vector_field
        self.embedder = as_embedder(embedder)
        self.weights = tuple(weights)
        self.constant = constant
        self.depth = depth
        self._limits = limits or Limits()
        self._dialect = dialect
        self._lock = threading.Lock()
        known = authorization(parts, user, password, api_key)
        self._exchange = Exchange(self.name, {**known, **(headers or {})}, timeout, hosts)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first.

        Scores of vectors are the engine's own, from 0 to 1.

        Raises
        ------
        SystemUnderTestError
            If the engine fails, even in part, or there is no such index; `SystemTimeoutError` if it
            takes too long.
        """
        check_k(k)
        text = _storable(query)
        if self.template is not None:
            return self._search_template(self.template, text, k)
        if self.mode == "bm25":
            return self._search_one(dsl.words(text, self.fields, k), k)
        vector = self._vector(query)
        if self.mode == "vector":
            return [] if vector is None else self._search_one(self._nearest(vector, k), k)
        depth = max(k, self.depth)
        searches = [dsl.words(text, self.fields, depth)]
        if vector is not None:
            searches.append(self._nearest(vector, depth))
        rankings = self._search_several(searches, depth)
        rankings += [[]] * (2 - len(rankings))
        return fuse_hits(rankings, k, weights=self.weights, constant=self.constant)

    def index(self, documents: Iterable[Document]) -> int:
        """Replace all documents of the index; return their number.

        Documents are written to a new index; when it is complete, the name becomes its alias.
        Concurrent searches use the old documents until then. Only an index that BerryEval created
        is replaced.

        Raises
        ------
        ArgumentError
            For a repeated document, or an id that the engine cannot store.
        SystemUnderTestError
            If the engine rejects a document, or BerryEval did not create the index.
        """
        check_index_name(self.index_name)
        self._check_fields()
        old = self._made_here()
        new = f"{self.index_name}-{uuid.uuid4().hex[:12]}"
        has_vectors = self.template.needs_vector if self.template else self.mode != "bm25"
        found = each_once(documents)
        n_documents = 0
        try:
            batch = list(islice(found, _AT_ONCE))
            self._create(new, self._dimensions() if has_vectors else None)
            while batch:
                for lines in _in_pieces(self._lines(batch, with_vectors=has_vectors)):
                    self._send(new, lines)
                n_documents += len(batch)
                batch = list(islice(found, _AT_ONCE))
            self._ask("POST", f"{quoted(new)}/_refresh")
            actions: list[dict[str, Any]] = [{"remove_index": {"index": name}} for name in old]
            actions.append({"add": {"index": new, "alias": self.index_name}})
            self._ask("POST", "_aliases", {"actions": actions})
        except BaseException:
            with suppress(SystemUnderTestError):
                # The alias may exist already, if only the response was lost.
                if new not in self._made_here():
                    self._ask("DELETE", quoted(new))
            raise
        return n_documents

    def fingerprint(self) -> dict[str, str]:
        """Return address, index and settings, without credentials and headers."""
        facts = {"system": "opensearch", "url": self.url, "index": self.index_name}
        if self.template is not None:
            facts["template"] = str(self.template)
            facts["search_pipeline"] = self.search_pipeline or ""
            if self.template.needs_vector:
                facts["embedder"] = self.embedder.name
            return facts
        facts["mode"] = self.mode
        if self.mode != "vector":
            facts["fields"] = " ".join(self.fields)
        if self.mode != "bm25":
            facts |= {"vector_field": self.vector_field, "embedder": self.embedder.name}
            facts["depth"] = str(self.depth)
        if self.mode == "hybrid":
            facts["weights"] = " ".join(f"{weight:g}" for weight in self.weights)
            facts["constant"] = f"{self.constant:g}"
        return facts

    def drop(self) -> None:
        """Remove the index with all its documents, if BerryEval created it."""
        for name in self._made_here():
            self._ask("DELETE", quoted(name))

    def _search_template(self, template: QueryTemplate, query: str, k: int) -> list[Hit]:
        vector = self._vector(query) if template.needs_vector else ()
        if vector is None and not template.needs_words:
            return []
        body = template.fill(query, k, vector or ())
        target = f"{quoted(self.index_name)}/_search"
        if self.search_pipeline is not None:
            target += f"?search_pipeline={quoted(self.search_pipeline)}"
        return self._hits(self._ask("POST", target, body), k, is_ranked=False)

    def _search_one(self, body: Mapping[str, Any], k: int) -> list[Hit]:
        return self._hits(self._ask("POST", f"{quoted(self.index_name)}/_search", body), k)

    def _search_several(self, bodies: Sequence[Mapping[str, Any]], k: int) -> list[list[Hit]]:
        lines = "".join(f"{{}}\n{json.dumps(body)}\n" for body in bodies).encode()
        answer = self._ask("POST", f"{quoted(self.index_name)}/_msearch", lines)
        answers = answer.get("responses") if isinstance(answer, Mapping) else None
        if not isinstance(answers, list) or len(answers) != len(bodies):
            raise AnswerError(
                self.name, f"expected {len(bodies)} answers to {len(bodies)} searches"
            )
        return [self._hits(one, k) for one in answers]

    def _hits(self, answer: object, k: int, *, is_ranked: bool = True) -> list[Hit]:
        return hits_of(answer, k, self.name, self.index_name, is_ranked=is_ranked)

    def _nearest(self, vector: Sequence[float], k: int) -> dict[str, Any]:
        depth = max(k, self.depth)
        return dsl.nearest(self._known_dialect(), vector, self.vector_field, k, depth)

    def _vector(self, query: str) -> list[float] | None:
        """Return the vector of a query; None for a zero vector, which has no neighbours."""
        embed = getattr(self.embedder, "embed_queries", self.embedder.embed)
        vector = embed([query])[0]
        found: list[float] = vector.tolist()
        return found if vector.any() else None

    def _dimensions(self) -> int:
        return int(self.embedder.embed(["dimensions"]).shape[1])

    def _known_dialect(self) -> Dialect:
        with self._lock:
            if self._dialect is None:
                try:
                    answer = self._exchange.ask(self._address(""))
                except StatusError as error:
                    failure = self._explained(error)
                    if error.status == 403:  # noqa: PLR2004 - forbidden
                        way_out = "set dialect, so that it need not be detected"
                        failure = SystemUnderTestError(self.name, f"{failure.message}; {way_out}")
                    raise failure from error
                self._dialect = dialect_of(answer, self.name)
            return self._dialect

    def _made_here(self) -> list[str]:
        """Return the indexes with this name, or raise if BerryEval did not create one of them."""
        try:
            answer = self._exchange.ask(self._address(f"{quoted(self.index_name)}/_mapping"))
        except StatusError as error:
            if error.status == 404:  # noqa: PLR2004 - not found
                return []
            raise self._explained(error) from error
        makers = made_by(answer, self.name)
        for name, maker in makers.items():
            if maker != dsl.MADE_BY:
                message = f"the index {name!r} was not created by berryeval and is not replaced"
                raise SystemUnderTestError(self.name, f"{message}; name another")
        return list(makers)

    def _check_fields(self) -> None:
        """Raise if no searched field would contain the indexed text."""
        named = {field.partition("^")[0] for field in self.fields}
        if self.template is None and self.mode != "vector" and not named & {"title", "text"}:
            expected = "title or text, where documents have their words"
            raise ArgumentError("fields", expected, repr(",".join(self.fields)))

    def _create(self, name: str, dimensions: int | None) -> None:
        # Only vectors differ, so an index without them does not need to detect the engine.
        dialect = "opensearch" if dimensions is None else self._known_dialect()
        self._ask("PUT", quoted(name), dsl.mapping(dialect, self.vector_field, dimensions))

    def _lines(self, documents: Sequence[Document], *, with_vectors: bool) -> Iterator[bytes]:
        texts = [f"{d.title}\n{d.text}".strip() for d in documents]
        vectors = self.embedder.embed(texts) if with_vectors else None
        for number, document in enumerate(documents):
            vector = None if vectors is None else vectors[number]
            yield dsl.document_lines(
                _checked_id(document.doc_id),
                _storable(document.title),
                _storable(document.text),
                self.vector_field,
                vector.tolist() if vector is not None and vector.any() else None,
            )

    def _send(self, index: str, lines: Sequence[bytes]) -> None:
        """Send documents, and retry those that the engine was too busy for."""
        waiting = list(lines)

        def send() -> None:
            nonlocal waiting
            answer = self._ask("POST", f"{quoted(index)}/_bulk", b"".join(waiting))
            again, why = read_bulk(answer, len(waiting), self.name)
            waiting = [waiting[number] for number in again]
            if waiting:
                message = f"was too busy for {len(waiting):,} documents: {why}"
                raise SystemUnderTestError(self.name, message, transient=True)

        retried(send, self._limits)

    def _ask(
        self, method: str, target: str, body: Mapping[str, Any] | bytes | None = None
    ) -> object:
        """Send a request to the engine; a body of bytes is JSON lines."""
        is_lines = isinstance(body, bytes)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = _NDJSON if is_lines else "application/json"
        try:
            return self._exchange.ask(
                self._address(target), content, method=method, content_type=kind
            )
        except StatusError as error:
            raise self._explained(error) from error

    def _address(self, target: str) -> str:
        return f"{self.url}/{target}"

    def _explained(self, error: StatusError) -> SystemUnderTestError:
        has_credentials = "authorization" in map(str.lower, self._exchange.headers)
        return explained(error, self.index_name, has_credentials=has_credentials)


def _checked_id(doc_id: str) -> str:
    try:
        is_id = 0 < len(doc_id.encode()) <= _LONGEST_ID
    except UnicodeEncodeError:
        is_id = False
    if not is_id:
        expected = f"ids of UTF-8 with 1 to {_LONGEST_ID} bytes"
        raise ArgumentError("documents", expected, f"{doc_id[:40]!a}")
    return doc_id


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _in_pieces(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Group lines into requests within the size limit of the engines."""
    piece: list[bytes] = []
    length = 0
    for line in lines:
        if piece and length + len(line) > _LONGEST_BULK:
            yield piece
            piece, length = [], 0
        piece.append(line)
        length += len(line)
    if piece:
        yield piece
