import json
import re
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from berryeval import Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.export_files import EXPORT_VERSION, KIND
from berryeval.cli import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Change to a folder with an archive."""
    monkeypatch.chdir(tmp_path)
    with Archive.open("a.db") as archive:
        archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
        archive.queries.put([Query("q1", "x"), Query("q2", "y")])
        archive.runs.put(Run.from_lists({"q1": ["d1"]}), RunFacts("bm25"))
    return tmp_path


def call(*words):
    return CliRunner().invoke(main, ["archive", *words])


def test_an_archive_is_exported_and_imported(here):
    """E5: everything is exported as plain files and imported again."""
    done = call("export", "a.db", "out")
    assert (done.exit_code, done.output) == (
        0, "Exported a.db to out: 1 judgment, 2 queries, 1 run.\n"
    )  # fmt: skip
    done = call("import", "out", "b.db")
    assert (done.exit_code, done.output) == (
        0, "Imported out into b.db: 1 judgment, 2 queries, 1 run.\n"
    )  # fmt: skip
    with Archive.open(here / "b.db") as archive:
        assert archive.judgments.get("q1", "d1").author == "ada"


@pytest.mark.usefixtures("here")
def test_info_reports_the_contents_of_an_archive():
    """The output is text or JSON."""
    done = call("info", "a.db")
    assert done.exit_code == 0
    assert done.output.startswith("a.db: sqlite, version 0012, ")
    assert "\n  queries           2\n" in done.output
    record = json.loads(call("info", "--json", "a.db").output)
    assert record["rows"]["runs"] == 1
    assert (record["database"], record["problem"]) == ("sqlite", None)


@pytest.mark.usefixtures("here")
def test_info_counts_opinions_and_earlier_states_separately():
    """Neither counts as a judgment."""
    with Archive.open("a.db") as archive:
        archive.judgments.change("q1", "d1", 1, author="ada")
        archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
        for grade in (0, 2):
            archive.judgments.add_opinion("q1", "d1", grade, author="bob")
        archive.judgments.add_opinion("q1", "d1", 3, author="cy")
    rows = json.loads(call("info", "--json", "a.db").output)["rows"]
    assert (rows["judgments"], rows["opinions"], rows["judgment_history"]) == (2, 2, 2)
    assert "\n  opinions          2\n" in call("info", "a.db").output


@pytest.mark.parametrize("words", [("info", "no.db"), ("export", "no.db", "out")])
def test_a_missing_archive_is_not_created(here, words):
    """A misspelt name is an error, and leaves nothing behind."""
    done = call(*words)
    assert (done.exit_code, done.output) == (5, "Error: no.db: does not exist\n")
    assert not (here / "no.db").exists()


def test_an_empty_database_is_not_an_archive(here):
    """It is not turned into one."""
    with closing(sqlite3.connect(here / "empty.db")):
        (here / "empty.db").touch()
    done = call("info", "empty.db")
    assert (done.exit_code, done.output) == (5, "Error: empty.db: there is no archive in it\n")


def test_info_fails_for_a_damaged_archive(here):
    """Backup scripts can rely on it."""
    with closing(sqlite3.connect(here / "a.db")) as connection:
        connection.executescript(
            "PRAGMA writable_schema=ON;"
            "UPDATE sqlite_master SET sql = replace(sql, '(doc_id)', '(query_id)')"
            " WHERE name = 'judgments_by_document';"
        )
    done = call("info", "a.db")
    assert (done.exit_code, call("export", "a.db", "out").exit_code) == (5, 5)
    assert done.stderr.startswith("Error: a.db: is damaged (")


def test_damaged_pages_are_reported_in_one_line(here):
    """SQLite lists them below a line of its own."""
    with closing(sqlite3.connect(here / "a.db")) as connection:
        page = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'judgments_by_document'"
        ).fetchone()[0]
    with (here / "a.db").open("r+b") as file:
        file.seek((page - 1) * 4096 + 8)  # the offset of the first entry of the page
        file.write(b"\x00\x01")
    done = call("info", "a.db")
    assert done.exit_code == 5
    assert re.fullmatch(
        r"Error: a\.db: is damaged \([^*\n]+\); "
        r"restore it from a backup, or from `berryeval archive export`\n",
        done.stderr,
    )


@pytest.mark.usefixtures("here")
def test_an_import_never_overwrites_an_archive():
    """The message is one line, and the exit code is 2."""
    call("export", "a.db", "out")
    done = call("import", "out", "a.db")
    assert done.exit_code == 2
    assert "expected an empty one to import into" in done.output


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "content",
    [
        None,
        "{}",
        json.dumps({"kind": "other", "version": EXPORT_VERSION, "lines": {}}),
        json.dumps({"kind": KIND, "version": EXPORT_VERSION + 1, "lines": {}}),
    ],
)
def test_an_invalid_export_creates_no_archive(tmp_path, content):
    """It is checked first."""
    (tmp_path / "no").mkdir()
    if content is not None:
        (tmp_path / "no" / "archive.json").write_text(content)
    done = call("import", str(tmp_path / "no"), str(tmp_path / "new.db"))
    assert (done.exit_code, "archive.json: " in done.output) == (2, True)
    assert not (tmp_path / "new.db").exists()
