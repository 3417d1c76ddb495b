"""berryeval convert between other platforms, and what it reports as left out."""

import json

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.formats import read_judgments, read_queries, read_run
from berryeval.formats.platforms import load
from berryeval.formats.registry import FORMATS
from platform_files import (
    FILES,
    MSEARCH,
    QUEPID_BOOK,
    QUEPID_BOOK_CSV,
    QUEPID_CASE,
    QUEPID_CSV,
    RANK_EVAL_RESPONSE,
    SRW_EXPERIMENT,
    SRW_JUDGMENTS,
    SRW_QUERY_SET,
)

QUERIES = '{"id": "1", "text": "led tv"}\n{"id": "2", "text": "hdmi"}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with queries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    return tmp_path


@pytest.fixture
def convert(folder):
    """Convert a document, or a text, and return the lines on standard error."""

    def call(content, *arguments, target="out"):
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / "in").write_text(text)
        done = CliRunner().invoke(main, ["convert", "in", target, *arguments])
        assert done.exit_code == 0, done.stderr
        return done.stderr.splitlines()

    return call


OF_JUDGMENTS = [name for name in FILES if load(name).HOLDS.reads[0] == "judgments"]
OF_RUNS = [name for name in FILES if load(name).HOLDS.reads[0] == "run"]
SKIPPED = {"ranx-lz4", "trec", "letor"}  # a library may be missing; ids have no blanks


@pytest.mark.parametrize("source", OF_JUDGMENTS)
def test_judgments_go_from_every_format_into_every_other(convert, source):
    """The grade that counts is converted for every document."""
    expected = None
    for target in FORMATS:
        if "judgments" not in FORMATS[target].HOLDS.writes or target in SKIPPED:
            continue
        if not FORMATS[target].HOLDS.fractions and source == "srw-judgments":
            continue
        convert(FILES[source], "--to", target, "--judges", "first")
        found = read_judgments("out", format=target).to_dict()
        expected = found if expected is None else expected
        assert found == expected


@pytest.mark.parametrize("source", OF_RUNS)
def test_runs_go_from_every_format_into_every_other(convert, source):
    """The order of every ranking is preserved."""
    expected = read_run_of(convert, source, "jsonl")
    for target in FORMATS:
        if "run" in FORMATS[target].HOLDS.writes and target not in SKIPPED:
            assert read_run_of(convert, source, target) == expected


def read_run_of(convert, source, target):
    convert(FILES[source], "--to", target)
    run = read_run("out", format=target)
    return {query: run.ranking(query) for query in run.query_ids}


def test_rows_without_a_rating_are_reported_in_one_line(convert):
    """The number is that of all such rows."""
    assert convert(QUEPID_CSV, target="out.jsonl") == ["2 rows without a rating were left out."]


def test_every_kind_of_loss_is_reported_in_a_line_of_its_own(convert):
    """Losses of the reader come first, then those of the target."""
    assert convert(QUEPID_BOOK, target="out.json") == [
        "1 document's title and other fields were left out.",
        "2 rows without a rating were left out.",
        "1 grade's note was left out.",
        "The scale of grades, 0 to 2, and its labels were left out.",
        "Several judges graded 1 document: the first grade counts.",
    ]


def test_judges_times_sources_and_notes_survive_in_json_lines_and_parquet(convert, folder):
    """Both formats preserve them, and only losses of other formats are reported."""
    rows = [
        {"query_id": "q1", "doc_id": "d1", "relevance": 2, "judge": "ada", "source": "pool",
         "judged_at": "2026-11-16T08:00:00+00:00", "note": 'old, but\n"right"'},
        {"query_id": "q1", "doc_id": "d1", "relevance": 0, "judge": "bob"},
        {"query_id": "q1", "doc_id": "d2", "relevance": 1},
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    for target in ("out.parquet", "out.arrow", "out.csv", "out.jsonl"):
        assert convert(text, target=target) == []
        back = CliRunner().invoke(main, ["convert", target, "back.jsonl"])
        assert (back.exit_code, back.stderr) == (0, "")
        found = [json.loads(line) for line in (folder / "back.jsonl").read_text().splitlines()]
        assert found == [dict(sorted(row.items(), key=lambda item: list(rows[0]).index(item[0])))
                         for row in rows]  # fmt: skip
    assert convert(text, target="qrels.txt") == [
        "1 grade's source was left out.",
        "1 grade's time was left out.",
        "1 grade's note was left out.",
        "Several judges graded 1 document: the first grade counts.",
    ]


def test_judges_are_reduced_if_a_rule_is_named(convert, folder):
    """The rule applies even in a format that could keep all of them."""
    assert convert(QUEPID_BOOK_CSV, "--judges", "max", target="out.jsonl")[1:] == [
        "Several judges graded 2 documents: the highest grade counts."
    ]
    assert "judge" not in (folder / "out.jsonl").read_text()


def test_names_of_judges_that_have_no_place_are_reported(convert):
    """They are reported even if no grades had to be combined."""
    lines = convert(QUEPID_CASE, target="out.json")
    assert "1 grade's judge was left out." in lines


def test_negative_grades_that_have_no_place_are_reported(convert):
    """They mean that a document was not judged."""
    qrels = "led-tv 0 d1 1\nled-tv 0 d2 -1\nled-tv 0 d3 -2\n"
    assert convert(qrels, "--to", "srw-judgments") == ["2 negative grades were left out."]
    assert convert(qrels, "--to", "quepid-csv") == []  # where they are rows without a rating


def test_scores_and_tags_that_have_no_place_are_reported(convert):
    """MS MARCO contains only ranks."""
    assert convert("q1 Q0 d1 1 0.5 bm25\n", "--to", "msmarco") == [
        "Scores were left out: the format has ranks only.",
        "The tag 'bm25' was left out.",
    ]


def test_texts_become_ids_and_ids_become_texts(convert, folder):
    """A file of queries names both."""
    convert(SRW_JUDGMENTS, "--queries", "queries.jsonl", target="qrels.txt")
    qrels = (folder / "qrels.txt").read_text()
    assert qrels == "1 0 d7 3\n1 0 d9 0\n2 0 d1 0.5\n"
    convert(qrels, "--queries", "queries.jsonl", "--to", "quepid-csv")
    assert (folder / "out").read_text() == (
        "query,docid,rating\nled tv,d7,3\nled tv,d9,0\nhdmi,d1,0.5\n"
    )
    convert("1 0 d7 3\n", "--queries", "queries.jsonl", "--to", "rank-eval")
    (request,) = json.loads((folder / "out").read_text())["requests"]
    assert (request["id"], request["params"]) == ("1", {"query_string": "led tv"})


def test_queries_that_are_not_listed_keep_their_text(convert):
    """Their number is reported."""
    lines = convert(QUEPID_CSV, "--queries", "queries.jsonl", target="out.json")
    assert lines[-1] == "2 queries are not in --queries, and keep their names in the source."
    assert list(read_judgments("out.json").to_dict()) == ["1", "remote, black", "-20 dB"]


def test_two_queries_with_one_text_cannot_be_distinguished_by_it(folder):
    """The message has both, and nothing is written."""
    (folder / "qrels").write_text("a 0 d1 1\nb 0 d1 1\n")
    (folder / "q.jsonl").write_text('{"id": "a", "text": "tv"}\n{"id": "b", "text": "tv"}\n')
    arguments = ["convert", "qrels", "out", "--to", "quepid-csv", "--queries", "q.jsonl"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: queries 'a' and 'b' would both be called 'tv'; give each query its own text\n"
    )
    assert not (folder / "out").exists()


def test_responses_of_msearch_are_named_by_the_order_of_queries(convert):
    """Without queries they are numbered, and that is reported."""
    lines = convert(MSEARCH, target="out.json")
    assert "1 failed query was left out." in lines
    assert lines[-1] == (
        "The responses do not name their queries, which are numbered from 1; "
        "name them with --queries."
    )
    convert(MSEARCH, "--queries", "queries.jsonl", "--to", "msmarco")
    assert read_run("out").ranking("1") == ["d7", "d9"]
    convert(MSEARCH, "--queries", "queries.jsonl", "--to", "quepid-snapshot")
    assert read_run("out").ranking("led tv") == ["d7", "d9"]


def test_scores_go_between_platforms_and_tables(convert, folder):
    """A response of _rank_eval is read as scores."""
    assert convert(RANK_EVAL_RESPONSE, target="out.jsonl") == ["1 failed query was left out."]
    assert (folder / "out.jsonl").read_text().splitlines()[0] == (
        '{"query_id": "q1", "measure": "precision", "value": 0.75}'
    )
    convert((folder / "out.jsonl").read_text(), target="out.csv")
    table = (folder / "out.csv").read_text()
    assert table == "query_id,measure,value\nq1,precision,0.75\nq2,precision,0.05\n"
    convert(table, "--from", "table", "--kind", "scores", "--to", "rank-eval-response")
    convert((folder / "out").read_text(), "--to", "srw-experiment")
    convert(SRW_EXPERIMENT, "--kind", "scores", target="e.csv")
    assert (folder / "e.csv").read_text().splitlines()[1:] == [
        "led tv,NDCG@10,0.8",
        "hdmi,NDCG@10,0",
        "led tv,MAP@10,1",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"query_id": "q1", "measure": "AP"}', ":1: expected query_id, measure and value, found"),
        ('{"query_id": "q1", "measure": "AP", "value": "x"}', ":1: expected a number as score"),
        ('{"query_id": "q1", "measure": "AP", "value": 1}\n' * 2,
         ":2: query 'q1' has a second score of 'AP'"),
    ],
)  # fmt: skip
def test_invalid_scores_are_reported_with_their_line(folder, row, message):
    """The message has the file, the line, what was expected and found."""
    (folder / "in.jsonl").write_text(row)
    done = CliRunner().invoke(main, ["convert", "in.jsonl", "out.jsonl", "--kind", "scores"])
    assert done.exit_code == 2
    assert f"in.jsonl{message}" in done.stderr


def test_queries_go_between_platforms_and_our_files(convert, folder):
    """This covers query sets of OpenSearch, and cases of Quepid."""
    assert convert(SRW_QUERY_SET, target="q.jsonl") == ["1 query's notes or options were left out."]
    convert((folder / "q.jsonl").read_text(), "--to", "srw-query-set")
    assert [one.text for one in read_queries("out")] == ["led tv", "hdmi"]
    convert(QUEPID_CASE, "--kind", "queries", target="case.tsv")
    assert [one.text for one in read_queries("case.tsv")] == ["led tv", "hdmi"]
    convert(QUERIES, "--kind", "queries", "--to", "topics")
    assert [one.query_id for one in read_queries("out")] == ["1", "2"]


def test_a_kind_that_the_target_cannot_hold_is_an_error(folder):
    """The message lists the formats that can, and nothing is written."""
    (folder / "qrels").write_text("q1 0 d1 1\n")
    done = CliRunner().invoke(main, ["convert", "qrels", "out", "--to", "msmarco"])
    assert done.exit_code == 2
    assert "format: expected one that holds judgments (parquet, arrow, jsonl" in done.stderr
    assert not (folder / "out").exists()


def test_inspect_shows_files_of_platforms(folder):
    """A file with scores only is shown as the run that it has."""
    for name, content in (("a", SRW_JUDGMENTS), ("b", RANK_EVAL_RESPONSE)):
        (folder / name).write_text(json.dumps(content))
    done = CliRunner().invoke(main, ["inspect", "a", "b"])
    assert "judgments, format srw-judgments" in done.output
    assert "run, format rank-eval-response" in done.output
    (folder / "c").write_text(json.dumps(SRW_QUERY_SET))
    done = CliRunner().invoke(main, ["inspect", "c"])
    assert done.stderr == "Error: c: expected judgments or a run, found queries\n"
