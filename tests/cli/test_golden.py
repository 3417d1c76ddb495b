"""berryeval golden."""

import json

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from small_golden_set import QUERIES, write_golden_set


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with a golden set."""
    write_golden_set(tmp_path / "golden")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def golden(*arguments):
    return CliRunner().invoke(main, ["golden", *arguments], prog_name="berryeval")


def test_a_valid_set_exits_0():
    """Counts, best possible means and warnings are shown; warnings do not fail."""
    result = golden("check", "golden")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["chunks", "6"] in rows
    assert ["P@5", "0.4000"] in rows
    assert "0 errors, 2 warnings" in result.output


def test_declarations_of_a_set_are_shown(folder):
    """Grades have their labels, and the rule is in words; JSON has the values."""
    labels = ["None", "A little", "Half", "All of it"]
    write_golden_set(folder / "golden", labels=labels, judges="mean")
    result = golden("check", "golden")
    assert "grade 3, All of it" in result.output
    assert "If judges disagree, the mean grade counts." in result.output
    declared = json.loads(golden("check", "golden", "--json").stdout)["golden"]
    assert (declared["scale"], declared["labels"], declared["judges"]) == (3, labels, "mean")


def test_near_duplicate_queries_are_a_note(folder):
    """Their texts and a suggested group are shown, and the exit code stays 0."""
    queries = [QUERIES[0], {**QUERIES[1], "query": "how do I configure OAuth"}]
    write_golden_set(folder / "golden", queries=queries)
    result = golden("check", "golden")
    assert result.exit_code == 0, result.output
    assert "Near-duplicate queries" in result.output
    assert "Q1     Q2     how do I configure OAuth" in result.output
    assert json.loads(golden("check", "golden", "--json").stdout)["groups"] == [
        {
            "group": "Q1",
            "queries": [
                {"query_id": "Q1", "query": "configure OAuth"},
                {"query_id": "Q2", "query": "how do I configure OAuth"},
            ],
        }
    ]
    queries = [{**query, "group": "oauth"} for query in queries]
    write_golden_set(folder / "golden", queries=queries)
    assert "Near-duplicate queries" not in golden("check", "golden").output


def test_errors_exit_2(folder):
    """A dangling id is shown with its query and the nearest chunk."""
    write_golden_set(folder / "golden", {"Q1": {"guide.md#gide": 1}})
    result = golden("check", "golden")
    assert result.exit_code == 2
    assert "did you mean 'guide.md#guide'?" in result.output


def test_systems_are_checked_for_holes():
    """Unjudged chunks in the first ranks, and the power of the set, are shown."""
    result = golden("check", "golden", "--system", "bm25", "--system", "hybrid")
    assert result.exit_code == 0, result.output
    assert "unjudged in the top ranks of hybrid" in result.output
    assert "smallest drop" in result.output


def test_systems_are_checked_with_questions_by_default(folder):
    """The questions are counted."""
    questions = {"guide.md#guide": ["configure OAuth"], "tuning.md#tuning": ["configure OAuth"]}
    (folder / "golden" / "document-questions.json").write_text(json.dumps(questions))
    asked = golden("check", "golden", "--system", "bm25", "--json")
    plain = golden("check", "golden", "--system", "bm25", "--json", "--no-questions")
    pairs = [{"query_id": "Q1", "chunk_id": chunk_id} for chunk_id in questions]
    assert all(pair in json.loads(asked.stdout)["unjudged"]["bm25"] for pair in pairs)
    assert not any(pair in json.loads(plain.stdout)["unjudged"]["bm25"] for pair in pairs)
    rows = [line.split() for line in golden("check", "golden").output.splitlines()]
    assert ["questions", "1"] in rows


def test_a_system_that_fails_exits_4():
    """Holes that could not be checked are not reported as 0."""
    result = golden("check", "golden", "--system", "json:loads")
    assert result.exit_code == 4


def test_json_has_the_contents_of_the_tables(folder):
    """One object has findings, best means, agreement and power."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 3, 3], "tuning.md#bananas": [0, 0, 0]}}
    write_golden_set(folder / "golden", passes=passes)
    found = json.loads(golden("check", "golden", "--json", "--system", "hybrid").stdout)
    assert (found["version"], found["kind"]) == (1, "golden")
    assert found["agreements"]["all pairs"] == {
        "pairs": 2, "equal": 2, "kappa": 1.0, "interval": None,
    }  # fmt: skip
    assert found["agreements"]["grade 1 or more"]["kappa"] is None
    assert found["ceilings"]["R@10"] == 1
    assert {"query_id": "Q1", "chunk_id": "guide.md#guide"} in found["unjudged"]["hybrid"]
    assert found["power"][0]["measure"] == "P@5"
    assert {one["level"] for one in found["findings"]} == {"warning"}


@pytest.mark.parametrize(
    ("name", "begin"), [("c.md", "**golden, version 1**"), ("c.txt", "golden,")]
)
def test_a_check_can_be_saved(folder, name, begin):
    """Markdown and plain text include the kappa of the passes."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 3, 3]}}
    write_golden_set(folder / "golden", passes=passes)
    assert golden("check", "golden", "-o", name).exit_code == 0
    text = (folder / name).read_text()
    assert text.startswith(begin)
    assert "there is only one grade" in text


def test_a_new_set_is_valid(folder):
    """It can be checked at once."""
    result = golden("init", "golden/test-documents", "-o", "mine")
    assert result.exit_code == 0, result.output
    assert "Copied documents with 6 chunks into mine" in result.output
    assert (folder / "mine" / "berryeval.toml").is_file()
    assert golden("check", "mine").exit_code == 0
    again = golden("init", "golden/test-documents", "-o", "mine")
    assert again.exit_code == 2
    assert "a new or empty folder" in again.output


def test_a_new_set_works_with_the_gate(monkeypatch, folder):
    """retrieve and gate work with the settings written by init."""
    golden("init", "golden/test-documents", "-o", "mine")
    monkeypatch.chdir(folder / "mine")
    run = ["retrieve", "hybrid", "--documents", "test-documents", "--queries", "test-queries.json",
           "-o", "hybrid.run"]  # fmt: skip
    assert CliRunner().invoke(main, run).exit_code == 0
    gate = CliRunner().invoke(main, ["gate"])
    assert gate.exit_code in (0, 1), gate.output
    assert "RR@10 at least 0.7" in gate.output


LOG = "query,count\nConfigure OAuth,6\nweather,2\n"


def test_queries_are_weighted_by_traffic(folder):
    """The report shows the covered share, and nothing is written by default."""
    (folder / "log.csv").write_text(LOG)
    before = (folder / "golden" / "test-queries.json").read_bytes()
    result = golden("weights", "log.csv")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["of", "queries", "in", "the", "set", "6", "(75.0%)"] in rows
    assert ["effective", "number", "of", "queries", "1.0"] in rows
    assert "1 query not in the log: Q2." in result.output
    assert "Nothing was written" in result.output
    assert (folder / "golden" / "test-queries.json").read_bytes() == before


def test_weights_are_written_to_the_named_file(folder):
    """It is a new file or the input, but never by accident."""
    (folder / "log.csv").write_text(LOG)
    queries = folder / "golden" / "test-queries.json"
    before = queries.read_bytes()
    result = golden("weights", "log.csv", "-o", "new.json", "--json")
    assert json.loads(result.stdout) == {
        "version": 1,
        "kind": "weights",
        "output": "new.json",
        "by": None,
        "strata": [],
        "matched": 6,
        "unmatched": 2,
        "effective_queries": 1,
        "weights": {"Q1": 6},
        "unasked": ["Q2"],
    }
    weights = [
        one.get("weight") for one in json.loads((folder / "new.json").read_text())["queries"]
    ]
    assert weights == [6, None]
    assert queries.read_bytes() == before
    result = golden("weights", "log.csv", "-o", "golden/test-queries.json")
    assert result.exit_code == 2
    assert "is an input of this command" in result.output
    assert golden("weights", "log.csv", "--in-place").exit_code == 0
    assert json.loads(queries.read_text())["queries"][0]["weight"] == 6
    assert golden("check", "golden").exit_code == 0


def test_queries_are_weighted_by_shares(folder):
    """Each kind has its share of the weight, and becomes the stratum."""
    queries = folder / "golden" / "test-queries.json"
    kinds = {one["id"]: one["category"] for one in json.loads(queries.read_text())["queries"]}
    assert [*kinds.values()] == ["procedural", "troubleshoot"]
    shares = ("--by", "category", "--share", "procedural=75%", "--share", "troubleshoot=25")
    result = golden("weights", *shares)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["procedural", "75.0%", "1", "0.75"] in rows
    assert "The 2 queries are worth 1.6 of equal weight" in result.output
    assert "Nothing was written" in result.output
    written = json.loads(golden("weights", *shares, "--in-place", "--json").stdout)
    assert written == {
        "version": 1,
        "kind": "weights",
        "output": "golden/test-queries.json",
        "by": "category",
        "strata": [
            {"stratum": "procedural", "share": 0.75, "queries": 1, "weight": 0.75},
            {"stratum": "troubleshoot", "share": 0.25, "queries": 1, "weight": 0.25},
        ],
        "matched": None,
        "unmatched": None,
        "effective_queries": pytest.approx(1.6),
        "weights": {"Q1": 0.75, "Q2": 0.25},
        "unasked": [],
    }
    found = json.loads(queries.read_text())["queries"]
    assert [(one["weight"], one["stratum"]) for one in found] == [
        (0.75, "procedural"), (0.25, "troubleshoot")
    ]  # fmt: skip
    assert golden("check", "golden").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give LOG, or --by LABEL with one --share VALUE=SHARE per value."),
        (("log.csv", "--by", "category"), "Give LOG, or --by LABEL with"),
        (("--share", "troubleshoot=1"), "Give LOG, or --by LABEL with"),
        (("--by", "category"), "Give LOG, or --by LABEL with"),
        (("--by", "tag", "--share", "a=1"), "'tag' is not one of 'category', 'difficulty'"),
        (
            ("--by", "category", "--share", "troubleshoot"),
            "--share takes VALUE=SHARE, not 'troubleshoot'.",
        ),
        (("--by", "category", "--share", "troubleshoot=x"), "--share takes VALUE=SHARE, not"),
        (
            ("--by", "category", "--share", "troubleshoot=1", "--share", "troubleshoot=2"),
            "--share names 'troubleshoot' twice.",
        ),
        (
            ("--by", "category", "--share", "troubleshoot=1"),
            "shares: expected one for each category, got none for 'procedural'",
        ),
    ],
)
def test_invalid_shares_are_one_line(folder, arguments, message):
    """The exit code is 2, and the file is not changed."""
    (folder / "log.csv").write_text(LOG)
    before = (folder / "golden" / "test-queries.json").read_bytes()
    result = golden("weights", *arguments, "--in-place")
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert (folder / "golden" / "test-queries.json").read_bytes() == before


def test_a_group_in_two_strata_is_reported_by_the_check(folder):
    """Such a golden set cannot be read."""
    path = folder / "golden" / "test-queries.json"
    queries = json.loads(path.read_text())["queries"]
    for query, stratum in zip(queries, "ab", strict=True):
        query |= {"group": "oauth", "stratum": stratum}
    path.write_text(json.dumps({"queries": queries}))
    result = golden("check", "golden")
    assert result.exit_code == 2
    assert "expected the queries of group 'oauth' in one stratum" in " ".join(result.output.split())


def test_weights_have_one_destination(folder):
    """Two destinations are a usage error."""
    (folder / "log.csv").write_text(LOG)
    assert golden("weights", "log.csv", "-o", "x", "--in-place").exit_code == 2
    assert golden("weights", "log.csv", "-o", "-", "--json").exit_code == 2
    result = golden("weights", "log.csv", "-o", "-")
    assert json.loads(result.stdout)["queries"][0]["weight"] == 6
