"""berryeval golden."""

import json

import pytest
from click.testing import CliRunner

from berryeval.archive import Archive, JudgmentEntry
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


def test_the_system_of_a_project_has_its_settings(folder, monkeypatch):
    """Those of the settings file, as for a gate; options take precedence."""
    (folder / "engine_of_check.py").write_text(
        "def find(query, k):\n    return [{'key': 'guide.md#guide', 'name': 'x', 'text': 'one'}]\n"
    )
    (folder / "berryeval.toml").write_text(
        'system = "engine_of_check:find"\n[system_settings]\nid = "key"\n'
    )
    monkeypatch.syspath_prepend(folder)
    check = ("check", "golden", "--json", "--system", "engine_of_check:find")
    holes = json.loads(golden(*check).stdout)["unjudged"]["engine_of_check:find"]
    named = json.loads(golden(*check, "-s", "id=name").stdout)["unjudged"]["engine_of_check:find"]
    assert "x" in str(named)
    assert "sha256:" not in str(holes)


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
    result = golden("check", "golden", "--system", "operator:matmul")
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
    run = ["retrieve", "--system", "hybrid", "--documents", "test-documents",
           "--queries", "test-queries.json", "-o", "hybrid.run"]  # fmt: skip
    assert CliRunner().invoke(main, run).exit_code == 0
    gate = CliRunner().invoke(main, ["gate"])
    assert gate.exit_code in (0, 1), gate.output
    assert "RR@10 at least 0.7" in gate.output


def test_a_new_set_takes_queries_and_judgments_in_any_format(folder):
    """They are copied in place of the samples, and the settings fit them."""
    (folder / "queries.csv").write_text("id,query\nQ1,configure OAuth\n")
    (folder / "qrels.txt").write_text("Q1 0 guide.md#configure-oauth 2\nQ1 0 guide.md#guide 0\n")
    result = golden("init", "golden/test-documents", "-o", "mine",
                    "--queries", "queries.csv", "--judgments", "qrels.txt")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads((folder / "mine" / "relevance-judgments.json").read_text())["judgments"] == [
        {
            "query_id": "Q1",
            "relevant": [{"chunk_id": "guide.md#configure-oauth", "grade": 2}],
            "not_relevant": ["guide.md#guide"],
        }
    ]
    assert "max_grade" not in (folder / "mine" / "berryeval.toml").read_text()
    assert golden("check", "mine").exit_code == 0
    only = golden("init", "golden/test-documents", "-o", "only", "--queries", "queries.csv")
    assert only.exit_code == 0, only.output
    assert "at_least" not in (folder / "only" / "berryeval.toml").read_text()
    assert "no chunk is relevant" in golden("check", "only").output


def test_a_new_set_can_judge_whole_documents(folder):
    """Its judgments declare it."""
    golden("init", "golden/test-documents", "-o", "mine", "--chunks", "document")
    declared = json.loads((folder / "mine" / "relevance-judgments.json").read_text())
    assert declared["chunks"] == "document"
    assert declared["judgments"][0]["relevant"] == [{"chunk_id": "guide.md", "grade": 1}]
    assert golden("check", "mine").exit_code == 0


@pytest.fixture
def beir(folder):
    """Return a BEIR folder."""
    (folder / "beir" / "qrels").mkdir(parents=True)
    corpus = '{"_id": "d1", "title": "", "text": "configure OAuth"}\n'
    (folder / "beir" / "corpus.jsonl").write_text(corpus)
    queries = '{"_id": "q1", "text": "OAuth"}\n{"_id": "q2", "text": "other split"}\n'
    (folder / "beir" / "queries.jsonl").write_text(queries)
    (folder / "beir" / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return "beir"


def test_a_beir_folder_is_checked_and_copied(folder, beir):
    """A set made of it is equal to its split."""
    assert "expected qrels/test.tsv" in golden("check", beir).output
    result = golden("check", beir, "--split", "dev", "--system", "bm25")
    assert result.exit_code == 0, result.output
    assert golden("init", beir, "-o", "mine", "--split", "dev").exit_code == 0
    (folder / "beir" / "qrels" / "dev.tsv").rename(folder / "beir" / "qrels" / "test.tsv")
    assert json.loads(golden("diff", beir, "mine", "--json").stdout)["equal"] is True


def test_parts_are_checked_in_any_format(folder):
    """Without a golden set, queries and judgments are both required."""
    (folder / "qrels.txt").write_text("Q1 0 guide.md#gide 2\n")
    parts = ("--documents", "golden/test-documents", "--judgments", "qrels.txt")
    result = golden("check", *parts, "--queries", "golden/test-queries.json")
    assert result.exit_code == 2
    assert "did you mean 'guide.md#guide'?" in result.output
    result = golden("check", *parts)
    assert result.exit_code == 2
    assert "Without a golden set, give both --queries and --judgments." in result.output
    assert "--split requires a BEIR folder." in golden("check", "--split", "dev").output


def test_chunks_are_listed_with_their_first_line():
    """The heading is in the id, so the line below it is shown."""
    result = golden("chunks", "golden", "--document", "guide.md")
    assert result.exit_code == 0, result.output
    assert [line.split(maxsplit=1) for line in result.output.splitlines()[1:4]] == [
        ["guide.md#guide", "How to begin with the product."],
        ["guide.md#configure-oauth", "Register a client, and configure OAuth with its secret."],
        ["guide.md#token-lifetime", "An OAuth token expires after one hour."],
    ]
    assert "3 chunks." in result.output


def test_chunks_of_plain_documents_are_listed(beir):
    """There need not be a golden set yet; the chunking can be chosen."""
    result = golden("chunks", "golden/test-documents", "--chunks", "document", "--json")
    found = json.loads(result.stdout)
    assert (found["version"], found["kind"]) == (1, "chunks")
    assert [one["chunk_id"] for one in found["chunks"]] == ["guide.md", "tuning.md"]
    assert found["chunks"][0]["first_line"] == "How to begin with the product."
    assert golden("chunks", beir).output.splitlines()[1].split()[0] == "d1"
    unknown = golden("chunks", "golden", "--document", "guid.md")
    assert unknown.exit_code == 2
    assert "got 'guid.md'; did you mean 'guide.md'?" in unknown.output
    assert golden("chunks", "nowhere").exit_code == 2


def test_sets_are_compared(folder):
    """The exit code is 0 whether or not they differ."""
    write_golden_set(folder / "other", {"Q1": {"guide.md#guide": 3}})
    result = golden("diff", "golden", "other")
    assert result.exit_code == 0, result.output
    assert "added    Q1     guide.md#guide            3" in result.output
    assert golden("diff", "golden", "golden", "-o", "same.md").exit_code == 0
    assert "The sets are equal." in (folder / "same.md").read_text()


def test_a_set_goes_into_an_archive_and_back(folder):
    """What the workbench judges becomes a golden set."""
    result = golden("import", "golden", "archive.db")
    assert result.exit_code == 0, result.output
    assert "new or changed: 6 documents, 2 queries, 6 judgments." in result.output
    result = golden("export", "archive.db", "exported")
    assert result.exit_code == 0, result.output
    assert "Exported archive.db to exported: 6 documents, 2 queries, 6 judgments." in result.output
    changed = json.loads(golden("diff", "golden", "exported", "--json").stdout)
    assert all(not changed[part]["changed"] for part in ("documents", "queries", "judgments"))
    assert golden("check", "exported").exit_code == 0
    missing = golden("export", "nowhere.db", "x")
    assert missing.exit_code == 5
    assert not (folder / "nowhere.db").exists()


def test_judgments_without_texts_are_reported_by_the_export():
    """The message has an example and the way out."""
    golden("import", "golden", "archive.db")
    with Archive.open("archive.db") as archive:
        archive.documents.remove("guide.md#guide")
        archive.queries.remove("Q2")
        archive.judgments.put([JudgmentEntry("Q1", "x", 1, subtopics={"a": 1})], author="ada")
    result = golden("export", "archive.db", "exported")
    assert result.exit_code == 0
    assert "text the archive does not have, such as 'guide.md#guide': 2." in result.stderr
    assert "grades by subtopic were left out: 1. `berryeval archive export` keeps" in result.stderr
    assert "such as 'Q2': 1. Import the texts, and export again." in result.stderr


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
