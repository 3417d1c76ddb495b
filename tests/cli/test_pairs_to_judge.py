"""berryeval judge draw --to-judge: the pairs that people judge for a draw."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.golden.reading import read_golden_set
from judges.judged_set import write_judged_set

RUNS = ("--run", "old.run", "--run", "new.run")


@pytest.fixture(autouse=True)
def golden(tmp_path, monkeypatch):
    """A set, in the working directory; the runs return eight documents per query, six judged."""
    monkeypatch.chdir(tmp_path)
    return write_judged_set(tmp_path / "golden", n_queries=30)


def draw(*words):
    """Draw twelve queries, and list what is left to judge."""
    command = ["judge", "draw", "--golden", "golden", "-n", "12", "-o", "draw.json", *words]
    return CliRunner().invoke(main, command, prog_name="berryeval")


def rows_of(path):
    """Return the rows of a CSV file."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_only_what_people_have_not_judged_is_listed():
    """For drawn queries, with texts and an empty grade; rank and run do not show."""
    done = draw(*RUNS, "--to-judge", "new.csv")
    assert done.stdout.endswith("For people to judge: 24 pairs of 12 queries, in new.csv.\n")
    rows = rows_of("new.csv")
    drawn = LabelDraw.read("draw.json").labelled
    assert {row["query_id"] for row in rows} == drawn
    assert {row["doc_id"].partition("-")[2] for row in rows} == {"6", "7"}
    keys = [(row["query_id"], row["doc_id"]) for row in rows]
    assert keys == sorted(keys)
    first = dict(rows[0])
    assert first.pop("document_text").startswith("Page 6 about topic 10.")
    assert first == {
        "query_id": "q10", "doc_id": "d10-6", "query_text": "topic 10", "intent": "About 10.",
        "grade": "",
    }  # fmt: skip
    assert draw(*RUNS, "-k", "1", "--to-judge", "few.csv").exit_code == 0
    assert {row["doc_id"].partition("-")[2] for row in rows_of("few.csv")} == {"7"}


def test_a_set_without_judgments_gets_its_first_ones(golden):
    """The filled-in file is the judgments of the set; an unfilled one is reported by its line."""
    (golden / "relevance-judgments.json").unlink()
    assert draw(*RUNS, "--to-judge", "golden/judgments.csv").exit_code == 0
    again = draw()
    assert again.exit_code == 2
    assert "judgments.csv:2: expected a number as grade, found ''" in again.stderr
    rows = rows_of("golden/judgments.csv")
    assert len(rows) == 12 * 8
    with Path("golden/judgments.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows({**row, "grade": 1 + (place % 3)} for place, row in enumerate(rows))
    assert read_golden_set(golden).judgments.n_rows == 12 * 8
    assert draw(*RUNS, "--to-judge", "rest.csv").exit_code == 0
    assert rows_of("rest.csv") == []


def test_a_file_with_grades_is_never_replaced():
    """What people did would be lost."""
    Path("judged.csv").write_text("query_id,doc_id,grade\nq1,d1-6,3\n")
    done = draw(*RUNS, "--to-judge", "judged.csv")
    assert done.exit_code == 2
    assert "to_judge: expected a new file" in done.stderr
    assert Path("judged.csv").read_text().endswith("q1,d1-6,3\n")
    assert not Path("draw.json").exists()


def test_a_document_is_no_formula(golden):
    """A spreadsheet would run what the author of a document wrote."""
    path = golden / "documents.jsonl"
    path.write_text(path.read_text().replace("Page 6 about topic 10.", "=HYPERLINK(1)"))
    assert draw(*RUNS, "--to-judge", "new.csv").exit_code == 0
    texts = {row["doc_id"]: row["document_text"] for row in rows_of("new.csv")}
    assert texts["d10-6"].startswith("'=HYPERLINK(1)")
    assert texts["d10-7"].startswith("Page 7")


def test_documents_come_from_runs():
    """Without a run there is nothing to list."""
    done = draw("--to-judge", "new.csv")
    assert (done.exit_code, "--to-judge requires --run." in done.stderr) == (2, True)
