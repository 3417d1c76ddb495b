"""PostgreSQL as a system, against a real server."""

import math
import sys
import threading
import time
import uuid

import pytest

from berryeval.core import Document, Query
from berryeval.errors import (
    ArgumentError,
    MissingExtraError,
    SystemTimeoutError,
    SystemUnderTestError,
)
from berryeval.golden import handbook
from berryeval.search.collect import Limits, collect
from berryeval.search.hits import Hit
from berryeval.search.opening import open_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.hybrid import HybridSettings
from berryeval.search.systems.postgres import Postgres, sql
from berryeval.search.systems.postgres.index import PostgresIndex, Statements
from berryeval.search.systems.rank_fusion import fuse_hits
from depth import IS_DEEP
from search.contract import DOCUMENTS, Contract

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def make(postgres_dsn):
    """Create systems with separate tables, which are dropped afterwards."""
    made = []

    def made_with(mode="hybrid", documents=DOCUMENTS, **settings):
        system = Postgres(postgres_dsn, mode, table=f"t_{uuid.uuid4().hex}", **settings)
        made.append(system)
        if documents is not None:
            assert system.index(documents) == len(documents)
        return system

    yield made_with
    for system in made:
        system.close()
        with Postgres(postgres_dsn, "text", table=system.table) as again:
            again.drop()


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
    """From one connection, with the depth that k requires."""
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


@pytest.mark.usefixtures("pgvector")
def test_ties_at_the_cutoff_break_by_id(make):
    """Among more tied documents than requested, the highest ids are returned."""
    documents = [Document(f"d{number:03}", "the same words") for number in range(300)]
    system = make("text", documents, rank="bm25")
    assert [hit.doc_id for hit in system.search("same words", 3)] == ["d299", "d298", "d297"]
    with system._connection() as connection:
        statements = Statements(connection, 10.0, {})
        index = PostgresIndex(statements, system.table, "bm25", "any", {}, are_split=True)
        best = index.best_by_words({"word": 1.0}, 3)
    assert [index.ids[number] for number in best] == ["d299", "d298", "d297"]


@pytest.mark.usefixtures("pgvector")
def test_a_table_of_an_earlier_layout_is_rejected(make):
    """It stored one row per word and document; the message suggests what to do."""
    system = make("text", rank="bm25")
    with psycopg.connect(system._dsn, autocommit=True) as connection:
        connection.execute(f"DROP TABLE {system.table}_frequent")
        connection.execute(f"ALTER TABLE {system.table}_rare RENAME TO {system.table}_postings")
        connection.execute(f"ALTER TABLE {system.table}_postings RENAME numbers TO number")
    with pytest.raises(SystemUnderTestError, match=r"has another layout; index documents again"):
        system.search("oauth", 5)
    system.index(DOCUMENTS)
    assert system.search("oauth", 5)


@pytest.fixture
def pgvector(postgres_dsn):
    """Create the extension, which a search by words alone does not."""
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


@pytest.fixture
def whole_postings(monkeypatch):
    """Create postings as without pgvector, and as earlier versions did: in one table."""

    def created(system, connection, n_documents):  # noqa: ARG001
        system._run(connection, sql.create_postings(system.table, system.title_weight))
        return ("postings",)

    def index(system, documents):
        with monkeypatch.context() as patched:
            patched.setattr(Postgres, "_create_postings", created)
            system.index(documents)
        return system

    return index


def same(found, expected):
    """Return whether hits are the same but for rounding, which may swap those that are equal."""
    scores = dict(expected)
    return len(found) == len(expected) and all(
        hit.score == pytest.approx(other.score, rel=1e-6)
        and hit.score == pytest.approx(scores.get(hit.doc_id, other.score), rel=1e-6)
        for hit, other in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("longest", [16_000, 100])
@pytest.mark.parametrize("match", ["any", "all"])
@pytest.mark.usefixtures("pgvector")
def test_vectors_of_frequent_words_give_the_hits_of_lists(
    make, whole_postings, monkeypatch, match, longest
):
    """Any query has the hits and scores of postings in one table, with one part or several."""
    monkeypatch.setattr(sql, "_LONGEST_VECTOR", longest)
    documents = list(handbook().documents(questions=False))
    split = make("text", documents, match=match)
    whole = whole_postings(make("text", None, match=match), documents)
    with psycopg.connect(split._dsn) as connection:
        [[n_words, n_parts]] = connection.execute(
            f"SELECT count(DISTINCT lexeme), count(DISTINCT first) FROM {split.table}_frequent"  # noqa: S608
        )
    assert n_words > 10
    assert n_parts == math.ceil(len(documents) / longest)
    queries = [query.text for query in handbook().queries]
    queries += ["search index", "search quickstart", "berryeval zzyzx", "zzyzx", "the"]
    for k in (3, 50, 400):
        assert all(same(split.search(query, k), whole.search(query, k)) for query in queries)
    assert any(split.search(query, 3) for query in queries)


def test_weighted_words_give_the_hits_of_lists(make, whole_postings):
    """The second round of hybrid search, too, which weights words, returns the same."""
    documents = list(handbook().documents(questions=False))
    settings = {"rank": "bm25", "approximate": False}
    split = make("hybrid", documents, **settings)
    whole = whole_postings(make("hybrid", None, **settings), documents)
    for query in handbook().queries[:20]:
        assert same(split.search(query.text, 20), whole.search(query.text, 20))


@pytest.mark.usefixtures("pgvector")
def test_a_frequent_word_may_be_missing_from_most_of_the_documents(make, monkeypatch):
    """All documents are found if those of one word are next to each other."""
    monkeypatch.setattr(sql, "_LONGEST_VECTOR", 5)
    texts = ["alpha"] * 10 + ["beta gamma"] * 10 + ["gamma"] * 20
    documents = [Document(f"d{number:02}", text) for number, text in enumerate(texts)]
    system = make("text", documents)
    assert {hit.doc_id for hit in system.search("alpha gamma", 40)} == {d.doc_id for d in documents}
    assert [hit.doc_id for hit in system.search("beta alpha", 11)][9:] == ["d00", "d19"]
    both = make("text", documents, match="all").search("gamma beta", 40)
    assert [hit.doc_id for hit in both] == [f"d{number}" for number in range(19, 9, -1)]


def test_without_pgvector_words_are_searched_in_lists(make, postgres_dsn):
    """BM25 requires no extension."""
    name = f"plain_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            with Postgres(f"{postgres_dsn.rpartition('/')[0]}/{name}", "text") as system:
                system.index(DOCUMENTS)
                for query in ("deploy token cache", "configure"):
                    assert same(system.search(query, 5), make("text").search(query, 5))
        finally:
            connection.execute(f"DROP DATABASE {name}")


def test_the_second_round_does_not_repeat_a_search_by_the_same_words(make, monkeypatch):
    """Without weights, both rounds search for the words of the query."""
    system, statements = make("hybrid", rank="ts_rank_cd"), []
    execute = Statements.execute

    def recorded(self, statement, parameters):
        statements.append(statement.as_string(None))
        return execute(self, statement, parameters)

    monkeypatch.setattr(Statements, "execute", recorded)
    assert system.search("deploy token", 5)
    assert sum("ts_rank_cd" in one for one in statements) == 1
    assert sum("<=>" in one for one in statements) == 2


@pytest.mark.parametrize(
    ("mode", "rank", "has_index"),
    [("text", "ts_rank_cd", True), ("text", "bm25", False), ("vector", "ts_rank_cd", False)],
)
def test_words_have_an_index_only_if_it_is_used(make, mode, rank, has_index):
    """BM25 and vectors do not search it, so it would waste space."""
    system = make(mode, rank=rank)
    with psycopg.connect(system._dsn) as connection:
        indexes = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = %s", (system.table,)
        ).fetchall()
    assert any("USING gin" in definition for (definition,) in indexes) == has_index


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


def test_a_slow_statement_is_a_timeout(make):
    """The error is raised after the given number of seconds."""
    system = make("text", timeout=0.2)
    with pytest.raises(SystemTimeoutError, match=r"postgres: no answer within 0\.2 s"), \
            system._connection() as connection:  # fmt: skip
        connection.execute("SELECT pg_sleep(20)")
    assert system.search("oauth", 1)


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_timeouts_leave_no_more_connections_than_concurrent_queries(make, mode):
    """X8: the server receives the limit of a query, and stops when it has passed."""
    system = make(mode, rank="bm25")
    system.close()  # which has its own connections
    name = system.table
    asked = Postgres(f"{system._dsn}?application_name={name}", mode, rank="bm25", table=name)
    queries = [Query(f"q{i}", "configure OAuth") for i in range(10)]
    most, is_over = 0, threading.Event()

    def watch():
        nonlocal most
        with psycopg.connect(system._dsn, autocommit=True) as connection:
            while not is_over.wait(0.01):
                most = max(most, n_connections(connection, name))

    watching = threading.Thread(target=watch)
    watching.start()
    with psycopg.connect(system._dsn) as other:
        other.execute(f"LOCK TABLE {name}")  # the search waits
        limits = Limits(timeout=0.3, concurrency=3)
        collected = collect(asked, queries, limits=limits)
        time.sleep(0.3)
        assert n_connections(other, name, state="active") == 0
    is_over.set()
    watching.join()
    assert most == 3
    assert len(collected.failures) == 10
    assert {str(error) for error in collected.failures.values()} == {
        "postgres: no answer within 0.3 s"
    }
    assert asked.search("configure OAuth", 1), "what comes next has its own limit"
    asked.close()


def test_a_cancelled_statement_keeps_its_connection(make):
    """X8: a new connection could exceed the limit while the server closes the old one."""
    system = make("text", timeout=0.2)
    with system._connection() as connection:
        before = connection.info.backend_pid
    with pytest.raises(SystemTimeoutError), system._connection() as connection:
        connection.execute("SELECT pg_sleep(20)")
    with system._connection() as connection:
        assert connection.info.backend_pid == before


def n_connections(connection, name, state="%"):
    """Return the number of connections with this name and state."""
    counted = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND state LIKE %s"
    return connection.execute(counted, (name, state)).fetchone()[0]


def test_statements_of_a_search_share_its_time(make):
    """Each statement gets the remaining time."""
    system = make("text")
    with system._connection() as connection:
        statements = Statements(connection, 10.0, {})
        statements._deadline -= 8
        granted = "SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout'"
        (milliseconds,) = statements.execute(granted, {}).fetchone()
    assert 1000 < milliseconds <= 2000


def test_a_lost_connection_is_a_temporary_error(make):
    """The next search uses a new connection, not another broken one."""
    system = make("text")
    system.search("oauth", 1)
    with system._connection(), system._connection(), system._connection():
        pass
    assert system._idle.qsize() == 3
    with psycopg.connect(system._dsn, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND usename = current_user"
        )
    with pytest.raises(SystemUnderTestError) as caught:
        system.search("oauth", 1)
    assert caught.value.transient
    assert system.search("oauth", 1)


def test_connections_are_reused(make):
    """There are as many connections as concurrent threads."""
    system = make("text")
    for _ in range(5):
        system.search("oauth", 1)
    assert system._idle.qsize() == 1
    barrier = threading.Barrier(3)

    def hold():
        with system._connection():
            barrier.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert system._idle.qsize() == 3


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
