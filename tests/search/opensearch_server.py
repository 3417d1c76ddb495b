"""A simulated engine for tests, with the documented API of OpenSearch and Elasticsearch.

It is strict: an unknown path, method, content type, key or argument is rejected, with an error in
the engines' format. Words are scored by BM25, vectors by cosine.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from contextlib import contextmanager

from search.json_server import serving

_STOP_WORDS = frozenset(["a", "an", "and", "for", "in", "is", "of", "or", "the", "to", "with"])
_MOST = 10_000
_VERSIONS = {
    "opensearch": {"distribution": "opensearch", "number": "3.1.0"},
    "elasticsearch": {"number": "8.15.0", "build_flavor": "default"},
}
_TAGLINES = {
    "opensearch": "The OpenSearch Project: https://opensearch.org/",
    "elasticsearch": "You Know, for Search",
}
_SEARCH_KEYS = {"size", "query", "sort", "_source", "track_total_hits", "track_scores", "timeout"}


class RefusedError(Exception):
    """A rejected request, with a status and the type of its error."""

    def __init__(self, status, kind, reason):
        super().__init__(reason)
        self.status = status
        self.error = {"type": kind, "reason": reason}

    @property
    def body(self):
        """Return the error in the format of the engines."""
        return {"error": {"root_cause": [self.error], **self.error}, "status": self.status}


def wrong(reason):
    """Return the error for a malformed request."""
    return RefusedError(400, "parsing_exception", reason)


class Engine:
    """Indexes, aliases, and recorded requests.

    ``faults`` are responses to return instead, one per request, by the end of the path;
    ``busy`` is how many documents of the next bulk requests are rejected with 429.
    """

    def __init__(self, dialect, authorization=None):
        self.dialect = dialect
        self.authorization = authorization
        self.indexes = {}
        self.aliases = {}
        self.pipelines = {}
        self.requests = []
        self.faults = {}
        self.busy = []

    def answer(self, request):
        """Answer a request in the form that `serving` expects."""
        self.requests.append(request)
        waiting = self.faults.get(request["path"].rpartition("/")[2])
        if waiting:
            return waiting.pop(0)
        try:
            self._let_in(request["headers"].get("Authorization"))
            return 200, self._route(request)
        except RefusedError as error:
            return error.status, error.body

    def _let_in(self, given):
        if self.authorization is not None and given != self.authorization:
            raise RefusedError(401, "security_exception", "unable to authenticate user")

    def _route(self, request):
        method, path = request["method"], request["path"]
        if (method, path) == ("GET", "/"):
            return {"version": _VERSIONS[self.dialect], "tagline": _TAGLINES[self.dialect]}
        if (method, path) == ("POST", "/_aliases"):
            return self._change_aliases(_json(request))
        name, _, action = path.removeprefix("/").partition("/")
        known = {
            ("PUT", ""): lambda: self._create(name, _json(request)),
            ("DELETE", ""): lambda: self._delete(name),
            ("GET", "_mapping"): lambda: {n: i.described() for n, i in self._find(name).items()},
            ("POST", "_refresh"): lambda: self._refresh(name),
            ("POST", "_bulk"): lambda: self._bulk(name, _lines(request)),
            ("POST", "_search"): lambda: self._search(name, _json(request), request["parameters"]),
            ("POST", "_msearch"): lambda: self._search_several(name, _lines(request)),
        }
        if (method, action) not in known:
            raise RefusedError(405, "", f"Incorrect HTTP method for uri [{path}]")
        return known[method, action]()

    def _find(self, name):
        names = self.aliases.get(name, {name} & set(self.indexes))
        if not names:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
        return {one: self.indexes[one] for one in sorted(names)}

    def _create(self, name, body):
        if name != name.lower() or name in self.indexes or name in self.aliases:
            raise RefusedError(400, "invalid_index_name_exception", f"Invalid index name [{name}]")
        self.indexes[name] = Index(name, body, self.dialect)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _delete(self, name):
        if name not in self.indexes:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
        del self.indexes[name]
        self.aliases = {a: left for a, n in self.aliases.items() if (left := n - {name})}
        return {"acknowledged": True}

    def _refresh(self, name):
        for index in self._find(name).values():
            index.refresh()
        return {"_shards": {"total": 1, "successful": 1, "failed": 0}}

    def _change_aliases(self, body):
        _only(body, {"actions"})
        for action in body["actions"]:
            [(kind, facts)] = action.items()
            if kind == "remove_index":
                _only(facts, {"index"})
                self._delete(facts["index"])
            elif kind == "add":
                _only(facts, {"index", "alias"})
                if facts["alias"] in self.indexes or facts["index"] not in self.indexes:
                    raise RefusedError(400, "invalid_alias_name_exception", facts["alias"])
                self.aliases.setdefault(facts["alias"], set()).add(facts["index"])
            else:
                raise wrong(f"[aliases] unknown action [{kind}]")
        return {"acknowledged": True}

    def _bulk(self, name, lines):
        if len(lines) % 2:
            raise wrong("The bulk request must be terminated by a newline [\\n]")
        index = self._find(name)[name]
        n_busy = self.busy.pop(0) if self.busy else 0
        items = []
        for number in range(0, len(lines), 2):
            action, source = lines[number], lines[number + 1]
            _only(action, {"index"})
            _only(action["index"], {"_id"})
            try:
                index.take(action["index"]["_id"], source, is_busy=number // 2 < n_busy)
                outcome = {"status": 201, "result": "created"}
            except RefusedError as error:
                outcome = {"status": error.status, "error": error.error}
            items.append({"index": {"_index": name, "_id": action["index"]["_id"], **outcome}})
        has_errors = any("error" in item["index"] for item in items)
        return {"took": 1, "errors": has_errors, "items": items}

    def _search_several(self, name, lines):
        if len(lines) % 2:
            raise wrong("The msearch request must be terminated by a newline [\\n]")
        answers = []
        for number in range(0, len(lines), 2):
            _only(lines[number], {"index", "search_type", "preference"})
            try:
                answers.append({**self._search(name, lines[number + 1], {}), "status": 200})
            except RefusedError as error:
                answers.append(error.body)
        return {"took": 1, "responses": answers}

    def _search(self, name, body, parameters):
        _only(parameters, {"search_pipeline"} if self.dialect == "opensearch" else set())
        more = {"search_pipeline"} if self.dialect == "opensearch" else {"knn", "retriever"}
        _only(body, _SEARCH_KEYS | more)
        size = body.get("size", 10)
        if type(size) is not int or not 0 <= size <= _MOST:
            raise wrong(f"[size] must be an integer up to {_MOST}, got {size!r}")
        if "retriever" in body:
            if "rrf" in body["retriever"]:
                reason = "current license is non-compliant for [Reciprocal Rank Fusion (RRF)]"
                raise RefusedError(403, "security_exception", reason)
            raise wrong("unknown retriever")
        found = []
        for index in self._find(name).values():
            scores = self._scores(index, body, parameters.get("search_pipeline"))
            found += [(index, number, score) for number, score in scores.items()]
        hits = _sorted(found, body)[:size]
        return {
            "took": 1,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {"max_score": None, "hits": hits},
        }

    def _scores(self, index, body, pipeline):
        if "knn" in body:
            knn = body["knn"]
            _only(knn, {"field", "query_vector", "k", "num_candidates", "filter", "boost"})
            if not 1 <= knn["k"] <= knn["num_candidates"] <= _MOST:
                raise wrong("[k] must be from 1 to [num_candidates], and that to 10000")
            return index.nearest(knn["field"], knn["query_vector"], knn["k"])
        [(kind, clause)] = body.get("query", {"match_all": {}}).items()
        if kind == "hybrid":
            return self._hybrid(index, clause, pipeline)
        return self._clause(index, kind, clause)

    def _clause(self, index, kind, clause):
        if kind == "match_all":
            return dict.fromkeys(range(len(index.searched)), 1.0)
        if kind == "match":
            [(field, text)] = clause.items()
            return index.words(text, [field])
        if kind == "multi_match":
            _only(clause, {"query", "fields", "type"})
            if clause["type"] != "most_fields":
                raise wrong("[multi_match] only most_fields is known here")
            return index.words(clause["query"], clause["fields"])
        if kind == "knn" and self.dialect == "opensearch":
            [(field, facts)] = clause.items()
            _only(facts, {"vector", "k"})
            if type(facts["k"]) is not int or not 1 <= facts["k"] <= _MOST:
                raise wrong("[knn] requires k from 1 to 10000")
            return index.nearest(field, facts["vector"], facts["k"])
        raise wrong(f"unknown query [{kind}]")

    def _hybrid(self, index, clause, pipeline):
        """Fuse means of scores scaled to 0 to 1, as defined by a pipeline."""
        if self.dialect != "opensearch":
            raise wrong("unknown query [hybrid]")
        if pipeline not in self.pipelines:
            reason = f"Pipeline {pipeline} is not defined"
            raise RefusedError(400, "illegal_argument_exception", reason)
        _only(clause, {"queries"})
        fused = Counter()
        for part in clause["queries"]:
            [(kind, inner)] = part.items()
            scores = self._clause(index, kind, inner)
            low, high = min(scores.values(), default=0), max(scores.values(), default=0)
            for number, score in scores.items():
                share = (score - low) / (high - low) if high > low else 1.0
                fused[number] += max(share, 0.001) / len(clause["queries"])
        return dict(fused)


class Index:
    """Documents that were received, and those that are visible to searches."""

    def __init__(self, name, body, dialect):
        _only(body, {"settings", "mappings"})
        _only(body["settings"], {"index"})
        known = {"number_of_shards", "number_of_replicas"}
        _only(body["settings"]["index"], known | ({"knn"} if dialect == "opensearch" else set()))
        _only(body["mappings"], {"_meta", "dynamic", "properties"})
        self.name = name
        self.mappings = body["mappings"]
        self.fields = self.mappings["properties"]
        for field, facts in self.fields.items():
            _check_field(field, facts, dialect)
            if facts["type"] == "knn_vector" and not body["settings"]["index"].get("knn"):
                raise wrong("knn_vector needs index.knn")
        self.taken = {}
        self.searched = []

    def described(self):
        return {"mappings": self.mappings}

    def take(self, doc_id, source, *, is_busy=False):
        if is_busy:
            raise RefusedError(429, "es_rejected_execution_exception", "queue is full")
        if not 0 < len(doc_id.encode()) <= 512:
            reason = f"id is too long, must be no longer than 512 bytes: {len(doc_id)}"
            raise RefusedError(400, "illegal_argument_exception", reason)
        for field, value in source.items():
            if field not in self.fields:
                raise RefusedError(400, "strict_dynamic_mapping_exception", f"unknown [{field}]")
            if self.fields[field]["type"] in ("knn_vector", "dense_vector"):
                self._check_vector(field, value, 400)
            elif not isinstance(value, str):
                reason = f"failed to parse field [{field}]"
                raise RefusedError(400, "mapper_parsing_exception", reason)
        self.taken[doc_id] = source

    def refresh(self):
        self.searched = list(self.taken.items())

    def words(self, query, fields):
        """Return BM25 summed over several fields."""
        if not isinstance(query, str):
            raise wrong("[match] query must be text")
        total = Counter()
        for named in fields:
            field, _, boost = named.partition("^")
            texts = [_words(source.get(field, "")) for _, source in self.searched]
            mean = (sum(map(len, texts)) or 1) / (len(texts) or 1)
            for word in _words(query):
                n_with = sum(word in text for text in texts)
                rarity = math.log(1 + (len(texts) - n_with + 0.5) / (n_with + 0.5))
                for number, text in enumerate(texts):
                    often = text.count(word)
                    slowed = often + 1.2 * (0.25 + 0.75 * len(text) / mean)
                    if often:
                        total[number] += float(boost or 1) * rarity * often / slowed
        return dict(total)

    def nearest(self, field, vector, k):
        """Return the k best by (1 + cosine) / 2, the score of both engines."""
        if self.fields.get(field, {}).get("type") not in ("knn_vector", "dense_vector"):
            raise wrong(f"field [{field}] does not exist in the mapping, or has no vectors")
        self._check_vector(field, vector, 400)
        scores = {
            number: (1 + _cosine(vector, source[field])) / 2
            for number, (_, source) in enumerate(self.searched)
            if field in source
        }
        return dict(sorted(scores.items(), key=lambda pair: -pair[1])[:k])

    def _check_vector(self, field, vector, status):
        facts = self.fields[field]
        wanted = facts.get("dims") or facts.get("dimension")
        if not isinstance(vector, list) or len(vector) != wanted:
            reason = f"the vector has another number of dimensions than [{wanted}]"
            raise RefusedError(status, "illegal_argument_exception", reason)
        if not any(vector):
            reason = "The [cosine] similarity does not support vectors with zero magnitude."
            raise RefusedError(status, "illegal_argument_exception", reason)


@contextmanager
def running_engine(dialect, **settings):
    """Provide the address of an engine, and the engine."""
    engine = Engine(dialect, **settings)
    with serving(engine.answer) as url:
        yield url, engine


def _check_field(field, facts, dialect):
    if facts["type"] == "knn_vector" and dialect == "opensearch":
        _only(facts, {"type", "dimension", "method"})
        _only(facts["method"], {"name", "engine", "space_type"})
        wanted = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        if facts["method"] != wanted:
            raise wrong(f"unknown method for [{field}]")
    elif facts["type"] == "dense_vector" and dialect == "elasticsearch":
        _only(facts, {"type", "dims", "index", "similarity", "index_options"})
        _only(facts["index_options"], {"type", "m", "ef_construction"})
        if facts["similarity"] != "cosine" or facts["index"] is not True:
            raise wrong(f"unknown similarity for [{field}]")
    elif facts["type"] == "text":
        _only(facts, {"type", "analyzer"})
    elif facts["type"] == "keyword":
        _only(facts, {"type"})
    else:
        reason = f"No handler for type [{facts['type']}] declared on field [{field}]"
        raise RefusedError(400, "mapper_parsing_exception", reason)


def _sorted(found, body):
    """Sort as requested, by score by default; ties keep the order of documents."""
    keys = body.get("sort", [{"_score": "desc"}])
    rows = []
    for index, number, score in found:
        doc_id, source = index.searched[number]
        values = []
        for key in keys:
            [(field, how)] = key.items()
            order = how if isinstance(how, str) else how["order"]
            if field != "_score" and field not in index.fields and "unmapped_type" not in how:
                raise wrong(f"No mapping found for [{field}] in order to sort on")
            value = score if field == "_score" else source.get(field)
            values.append((value, order == "desc"))
        rows.append((index, doc_id, source, score, values))
    for place in reversed(range(len(keys))):
        rows.sort(key=lambda row, place=place: _comparable(row[4][place][0]),
                  reverse=keys[place] and bool(rows) and rows[0][4][place][1])  # fmt: skip
    has_scores = "sort" not in body or body.get("track_scores")
    hits = []
    for index, doc_id, source, score, values in rows:
        hit = {"_index": index.name, "_id": doc_id, "_score": score if has_scores else None}
        if "sort" in body:
            hit["sort"] = [value for value, _ in values]
        if body.get("_source", True):
            hit["_source"] = source
        hits.append(hit)
    return hits


def _comparable(value):
    return (value is not None, value.encode() if isinstance(value, str) else value or 0)


def _json(request):
    kind = request["headers"].get("Content-Type")
    if kind != "application/json":
        raise RefusedError(406, "", f"Content-Type header [{kind}] is not supported")
    return request["body"]


def _lines(request):
    kind = request["headers"].get("Content-Type")
    if kind != "application/x-ndjson":
        raise RefusedError(406, "", f"Content-Type header [{kind}] is not supported")
    content = request["content"]
    if not content.endswith(b"\n"):
        raise wrong("The bulk request must be terminated by a newline [\\n]")
    return [json.loads(line) for line in content.decode().removesuffix("\n").split("\n")]


def _only(given, known):
    unknown = set(given) - known
    if unknown:
        raise wrong(f"unknown keys {sorted(unknown)}")


def _words(text):
    found = re.findall(r"\w+", text.lower())
    return [re.sub(r"(ed|es|s|ing)$", "", word) for word in found if word not in _STOP_WORDS]


def _cosine(one, other):
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))
