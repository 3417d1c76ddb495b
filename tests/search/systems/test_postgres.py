"""PostgreSQL as a system, against a real server."""

import math
import sys

import pytest

from berryeval.core import Document
from berryeval.errors import (
    ArgumentError,
    MissingExtraError,
    SystemUnderTestError,
)
from berryeval.golden import handbook
from berryeval.search.hits import Hit
from berryeval.search.opening import open_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.hybrid import HybridSettings
from berryeval.search.systems.postgres import Postgres
from berryeval.search.systems.rank_fusion import fuse_hits
from depth import IS_DEEP
from search.contract import DOCUMENTS, Contract
from search.systems.postgres_systems import make_systems  # noqa: F401 - the fixture make

psycopg = pytest.importorskip("psycopg")


class TestText(Contract):
    """Full text search."""

    @pytest.fixture
    def system(self, make):
        return make("text", rank="ts_rank_cd")


class TestBM25(Contract):
    """Words weighted by BM25."""

    @pytest.fixture
    def system(self, make):
        return make("text", rank="bm25")


class TestVector(Contract):
    """pgvector with an HNSW index."""

    finds_by_words = False

    @pytest.fixture
    def system(self, make):
        return make("vector")


@pytest.mark.parametrize("rank", ["ts_rank_cd", "bm25"])
class TestHybrid(Contract):
    """Both in two rounds, with every vector compared."""

    finds_by_words = False

    @pytest.fixture
    def system(self, make, rank):
        return make("hybrid", approximate=False, rank=rank)


def test_words_match_by_their_stems(make):
    """X4: full text search uses English stemming."""
    assert [hit.doc_id for hit in make("text", rank="ts_rank_cd").search("renewing", 5)] == [
        "auth.md#tokens"
    ]


def test_any_word_matches_unless_all_are_required(make):
    """Documents need not contain every word of a question."""
    query = "how can I renew the cache?"
    found = {hit.doc_id for hit in make("text", rank="ts_rank_cd").search(query, 5)}
    assert found == {"auth.md#tokens", "tuning.md#cache"}
    assert make("text", match="all", rank="ts_rank_cd").search(query, 5) == []
    both = make("text", match="all", rank="ts_rank_cd").search("cache or queries", 5)
    assert [hit.doc_id for hit in both] == ["tuning.md#cache"]


def test_bm25_follows_its_formula(make):
    """X4: the scores of words that are their own stems are recomputed."""
    texts = {"a": "cat cat dog", "b": "cat bird", "c": "fish fish fish fish", "d": "dog"}
    documents = [Document(doc_id, text) for doc_id, text in texts.items()]
    lengths = {doc_id: len(text.split()) for doc_id, text in texts.items()}
    mean = sum(lengths.values()) / 4

    def bm25(doc_id, word):
        n_with = sum(word in text for text in texts.values())
        frequency = texts[doc_id].split().count(word)
        inverse = math.log(1 + (4 - n_with + 0.5) / (n_with + 0.5))
        slowed = frequency + 1.2 * (0.25 + 0.75 * lengths[doc_id] / mean)
        return inverse * frequency * 2.2 / slowed

    expected = {
        "a": bm25("a", "cat") + bm25("a", "dog"),
        "b": bm25("b", "cat"),
        "d": bm25("d", "dog"),
    }
    found = dict(make("text", documents, rank="bm25").search("cats or a dog?", 10))
    assert found == pytest.approx(expected)
    every = make("text", documents, rank="bm25", match="all")
    assert [hit.doc_id for hit in every.search("cats or a dog?", 10)] == ["a"]


def test_vectors_are_those_of_the_embedder(make):
    """X4: the scores are cosines."""
    system = make("vector")
    query, *vectors = system.embedder.embed(
        ["login credentials", *(f"{d.title}\n{d.text}" for d in DOCUMENTS)]
    )
    for hit in system.search("login credentials", 10):
        number = [d.doc_id for d in DOCUMENTS].index(hit.doc_id)
        assert hit.score == pytest.approx(float(vectors[number] @ query), abs=1e-5)


@pytest.mark.parametrize("rank", ["ts_rank_cd", "bm25"])
def test_hybrid_is_the_fusion_of_its_parts(make, rank):
    """X4: one statement returns the same bits as fusing in Python."""
    settings = {"approximate": False, "rank": rank}
    parts = [make("text", **settings), make("vector", **settings)]
    hybrid = make("hybrid", fusion="ranks", weights=(3, 1), constant=10, depth=4, **settings)
    for query in ("deploy token cache", "configure", "nothing of zzyzx"):
        rankings = [part.search(query, 4) for part in parts]
        assert hybrid.search(query, 3) == fuse_hits(rankings, 3, weights=(3, 1), constant=10)


def test_two_rounds_match_the_embedded_engine(make):
    """X4: words, vectors, tokens and feedback give the same results."""
    embedded = Embedded()
    embedded.index(DOCUMENTS)
    system = make("hybrid", rank="bm25", approximate=False)
    for query in ("renew an expired token", "slow queries", "zzyzx"):
        expected = dict(embedded.search(query, 10))
        # tantivy stores text lengths in one byte, which affects its scores.
        assert dict(system.search(query, 10)) == pytest.approx(expected, abs=0.1)


def test_several_settings_give_the_hits_of_single_searches(make):
    """They share one connection, with the depth that k requires."""
    several = [HybridSettings((1, 1), 1, 10, 2), HybridSettings((2, 0.5), 0, 0, 2)]
    singles = [make("hybrid", weights=one.weights, late=one.late, feedback=one.feedback, depth=2)
               for one in several]  # fmt: skip
    for query in ("renew an expired token", "zzyzx"):
        expected = [one.search(query, 3) for one in singles]
        assert singles[0].search_each(query, 3, several) == expected


@pytest.mark.parametrize("settings", [{"rank": "ts_rank_cd"}, {"rank": "bm25", "match": "all"}])
def test_without_word_weights_feedback_moves_only_the_vector(make, settings):
    """The second round searches for the words of the query."""
    documents = [*DOCUMENTS, Document("none", "")]
    system = make("hybrid", documents, late=0, weights=(1, 0), **settings)
    text = make("text", documents, **settings)
    for query in ("deploy cluster", "renew token", "cache"):
        found = [hit.doc_id for hit in system.search(query, 9) if hit.score > 0]
        assert found == [hit.doc_id for hit in text.search(query, 9)]


@pytest.mark.parametrize("rank", ["ts_rank_cd", "bm25"])
def test_title_weight_sets_the_weight_of_titles(make, rank):
    """Titles count more than the text, or not at all."""
    documents = [Document("title", "nothing", "cache"), Document("text", "cache cache", "other")]
    systems = [make("text", documents, title_weight=weight, rank=rank) for weight in (9, 0.1)]
    first = [system.search("cache", 2)[0].doc_id for system in systems]
    assert first == ["title", "text"]


def test_an_hnsw_index_returns_more_than_its_first_candidates(make):
    """The index is used, and returns as many hits as requested."""
    documents = [Document(f"d{i:04}", f"chunk number {i} of topic {i % 50}") for i in range(1300)]
    system = make("vector", documents)
    with system._connection() as connection:
        indexes = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = %s", (system.table,)
        ).fetchall()
        connection.execute("SET enable_seqscan = off")  # a small table would not need the index
    assert any("USING hnsw" in definition for (definition,) in indexes)
    assert len(system.search("chunk 7 of topic 7", 1200)) == 1200  # ef_search is at most 1000


def test_documents_with_questions_take_less_than_20_kilobytes_each(make):
    """X8: 50,000 chunks, indexed as in the suite, stay well below 1 GB."""
    n_copies = 5 if IS_DEEP else 1
    documents = [
        Document(f"{copy}/{document.doc_id}", document.text, document.title)
        for copy in range(n_copies)
        for document in handbook().documents(questions=True)
    ]
    system = make("hybrid", documents, rank="bm25")
    names = [f"{system.table}{suffix}" for suffix in ("", "_rare", "_frequent")]
    with psycopg.connect(system._dsn) as connection:
        (n_bytes,) = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname = ANY (%s)",
            (names,),
        ).fetchone()
    # Copies share nodes of the graph; a document without copies takes up to 2.5 kB more.
    assert n_bytes / len(documents) < 20_000 - 2_500


def test_any_id_and_any_text_can_be_stored(make):
    """Invalid UTF-8, NUL characters and documents without words are supported."""
    odd = [
        Document("\udcff", "cache \udcff\0 text"),
        Document("a\0b", "cache"),
        Document("empty", ""),
    ]
    found = {hit.doc_id for hit in make("text", odd).search("cache", 5)}
    assert found == {"\udcff", "a\0b"}
    assert len(make("vector", odd).search("cache", 5)) == 2


def test_a_table_may_be_in_a_schema(postgres_dsn):
    """Table names may contain any characters."""
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "odd; name"')
        with Postgres(postgres_dsn, "text", table='odd; name.x"y') as system:
            system.index(DOCUMENTS)
            system.index(DOCUMENTS)
            assert system.search("cache", 1)
            system.drop()
        connection.execute('DROP SCHEMA "odd; name"')


def test_searching_before_indexing_is_reported(make, postgres_dsn):
    """A failed indexing keeps the previous documents."""
    system = make("text", documents=None)
    with pytest.raises(SystemUnderTestError, match=r"there is no table t_\w+_postings, which BM25"):
        system.search("oauth", 5)
    with (
        Postgres(postgres_dsn, "text", table="not_there", rank="ts_rank_cd") as other,
        pytest.raises(
            SystemUnderTestError, match="there is no table not_there; index documents first"
        ),
    ):
        other.search("oauth", 5)
    system.index(DOCUMENTS)
    with pytest.raises(ArgumentError, match="documents: expected each document once"):
        system.index([DOCUMENTS[0], DOCUMENTS[0]])
    assert system.search("oauth", 5)


def test_a_closed_system_is_reported(make):
    """This also holds if it is closed during a search."""
    system = make("text")
    with system._connection():
        system.close()
    assert system._idle.qsize() == 0
    with pytest.raises(SystemUnderTestError, match="postgres: is closed"):
        system.search("oauth", 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "bm25"}, "mode: expected 'text' or 'vector' or 'hybrid', got 'bm25'"),
        ({"rank": "bm52"}, "rank: expected 'ts_rank_cd' or 'bm25'"),
        ({"table": "t" * 51}, "table: expected a name, or a schema and a name, up to 50 bytes"),
        ({"match": "some"}, "match: expected 'any' or 'all'"),
        ({"table": "a..b"}, "table: expected a name"),
        ({"table": ""}, "table: expected a name"),
        ({"title_weight": -1}, "title_weight: expected a number from 0"),
        ({"depth": 0}, "depth: expected at least 1"),
        ({"normalization": 0}, "normalization: expected rank='ts_rank_cd' with it: BM25 has"),
    ],
)
def test_invalid_settings_are_rejected(settings, message):
    """The error is raised before a connection is opened."""
    with pytest.raises(ArgumentError, match=message):
        Postgres("postgresql://127.0.0.1:1/x", **settings)


def test_a_missing_library_is_named_by_its_extra(monkeypatch):
    """The message names the extra to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[postgres\]"):
        Postgres("postgresql://127.0.0.1:1/x")


def test_the_fingerprint_does_not_contain_the_address(postgres_dsn):
    """Equal settings on another server are equal, and the address has a password."""
    given = {"mode": "hybrid", "weights": "1,2", "rank": "ts_rank_cd", "normalization": "0"}
    system = open_system(postgres_dsn, given)
    assert system.fingerprint() == {
        "system": "postgres",
        "mode": "hybrid",
        "rank": "ts_rank_cd",
        "match": "any",
        "title_weight": "1",
        "normalization": "0",
        "embedder": "wordllama-l2-supercat-256",
        "nearest": "approximate",
        "fusion": "scores",
        "weights": "1 2",
        "depth": "100",
        "late": "1",
        "feedback": "5",
    }


def test_hits_have_plain_types(make):
    """Ids are text and scores are floats."""
    assert all(isinstance(hit, Hit) for hit in make("text").search("oauth", 3))
