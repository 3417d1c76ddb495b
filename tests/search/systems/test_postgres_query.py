"""A custom SQL query as a system, against a real PostgreSQL."""

import uuid

import pytest

from berryeval.errors import AnswerError, ArgumentError, FormatError, SystemUnderTestError
from berryeval.search.opening import open_system
from berryeval.search.systems.postgres.own_query import PostgresQuery

psycopg = pytest.importorskip("psycopg")

PAGES = [(1, "Reset your password"), (2, "Change the password of a team"), (3, "Export 50% of it")]


@pytest.fixture
def table(postgres_dsn):
    """A table that BerryEval did not create."""
    name = f"pages_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} (number int, title text)")
        for page in PAGES:
            connection.execute(f"INSERT INTO {name} VALUES (%s, %s)", page)  # noqa: S608 - ours
        yield name
        connection.execute(f"DROP TABLE {name}")


@pytest.fixture
def make(postgres_dsn, table, tmp_path):
    """Open a query, written to a file; TABLE stands for the table."""
    opened = []

    def open_it(sql, **settings):
        path = tmp_path / "query.sql"
        path.write_text(sql.replace("TABLE", table))
        opened.append(open_system(postgres_dsn, {"template": str(path), **settings}))
        return opened[-1]

    yield open_it
    for system in opened:
        system.close()


def test_a_query_finds_documents_in_a_table_of_ones_own(make):
    """Ids are numbers there; the second column is the score."""
    system = make(
        """SELECT number, 10 - number
        FROM TABLE, websearch_to_tsquery('english', {{query}}) AS asked
        WHERE to_tsvector('english', title) @@ asked ORDER BY 2 DESC, 1 LIMIT {{k}}"""
    )
    assert [hit.doc_id for hit in system.search("password", 10)] == ["1", "2"]
    assert [hit.doc_id for hit in system.search("password", 1)] == ["1"]
    assert system.search("nothing like it", 10) == []


def test_the_order_counts_if_there_is_no_score(make):
    """Without {{k}}, more rows than requested are cut."""
    system = make("SELECT number FROM TABLE WHERE {{query}} <> '' ORDER BY number DESC")
    assert [hit.doc_id for hit in system.search("any", 2)] == ["3", "2"]


def test_a_query_is_a_parameter_and_never_part_of_the_statement(make):
    """Quotes, percent signs and placeholders of a template are harmless."""
    system = make(
        "SELECT title FROM TABLE WHERE title LIKE '%50\\%%' OR title = {{query}} LIMIT {{k}}"
    )
    hostile = "'; DROP TABLE pages; -- %s %(k)s {{k}} {{query}} \0"
    assert [hit.doc_id for hit in system.search(hostile, 10)] == ["Export 50% of it"]


def test_a_query_can_only_read(make):
    """A template that writes fails."""
    system = make("INSERT INTO TABLE VALUES (9, {{query}}) RETURNING number")
    with pytest.raises(SystemUnderTestError, match="read-only transaction"):
        system.search("any", 1)


def test_vectors_are_passed_to_the_query(make, postgres_dsn):
    """{{vector}} is the vector of the text, by the embedder of the settings."""
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    system = make("SELECT vector_dims({{vector}}) LIMIT {{k}}")
    dimensions = len(system.embedder.embed(["text"])[0])
    assert [hit.doc_id for hit in system.search("text", 1)] == [str(dimensions)]
    assert system.fingerprint()["embedder"] == system.embedder.name


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELECT number FROM TABLE WHERE {{query}} <> ''", None, None),
        ("SELECT nothing FROM TABLE WHERE {{query}} <> ''", SystemUnderTestError, "does not exist"),
        ("SELECT NULL WHERE {{query}} <> '' LIMIT {{k}}", AnswerError, "expected rows with an id"),
        ("SELECT number FROM TABLE WHERE {{query}} <> '' AND {{k}} > 0", AnswerError, "at most 2"),
    ],
)
def test_a_faulty_query_is_an_error_of_the_system(make, sql, error, message):
    """The message has the database's reason, or the expected form of a row."""
    system = make(sql)
    if error is None:
        assert len(system.search("any", 2)) == 2
        return
    with pytest.raises(error, match=message):
        system.search("any", 2)


def test_a_template_needs_a_place_for_the_query(tmp_path):
    """Otherwise every query would find the same."""
    path = tmp_path / "query.sql"
    path.write_text("SELECT 1")
    with pytest.raises(ArgumentError, match=r"template: expected a placeholder \{\{query\}\}"):
        PostgresQuery("postgresql://localhost/none", str(path))
    with pytest.raises(FormatError, match=r"missing\.sql: cannot be read"):
        PostgresQuery("postgresql://localhost/none", str(tmp_path / "missing.sql"))


def test_other_settings_are_refused(postgres_dsn, tmp_path):
    """Settings of BerryEval's own tables do not apply to a query."""
    path = tmp_path / "query.sql"
    path.write_text("SELECT 1 WHERE {{query}} <> ''")
    with pytest.raises(ArgumentError, match="setting: expected one of"):
        open_system(postgres_dsn, {"template": str(path), "rank": "bm25"})
