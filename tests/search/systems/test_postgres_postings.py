"""The postings of PostgreSQL: lists of documents, and vectors of frequent words."""

import math
import uuid

import pytest

from berryeval.core import Document
from berryeval.errors import SystemUnderTestError
from berryeval.golden import handbook
from berryeval.search.systems.postgres import Postgres, sql
from berryeval.search.systems.postgres.index import PostgresIndex, Statements
from search.contract import DOCUMENTS
from search.systems.postgres_systems import make_systems  # noqa: F401 - the fixture make

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def pgvector(postgres_dsn):
    """Create the extension, which a search only by words does not create."""
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
    """Return whether hits are the same except for rounding, which may swap equal ones."""
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
    """The second round of hybrid search, which weights words, also returns the same."""
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
