"""Messages of failed guards, and single queries compared with the baseline."""

from dataclasses import replace

import pytest

import berryeval as be
from berryeval.pytest_plugin.results import Results
from berryeval.suite.settings import Settings

JUDGMENTS = {f"q{i:02}": {"good": 2, "fair": 1} for i in range(30)}
BASELINE = {query_id: ["good", "fair", "other"] for query_id in JUDGMENTS}
WORSE = {query_id: ["other", "fair"] for query_id in JUDGMENTS} | {"q07": []}
QUERIES = {query_id: f"question {query_id}" for query_id in JUDGMENTS}


@pytest.fixture
def files(tmp_path):
    """Settings of a project, with files and documents."""
    be.write_judgments(be.Judgments.from_dict(JUDGMENTS), tmp_path / "qrels")
    be.write_run(be.Run.from_lists(BASELINE), tmp_path / "main.run")
    be.write_run(be.Run.from_lists(WORSE), tmp_path / "new.run")
    (tmp_path / "docs.jsonl").write_text('{"_id": "good", "title": "The answer", "text": "…"}\n')
    return Settings(
        judgments=str(tmp_path / "qrels"),
        run=str(tmp_path / "new.run"),
        baseline=str(tmp_path / "main.run"),
        documents=str(tmp_path / "docs.jsonl"),
    )


@pytest.fixture
def results(files):
    """The worse run, in that project."""
    return Results(JUDGMENTS, WORSE, queries=QUERIES, settings=files)


def message_of(assertion, *arguments, **options):
    """Return the message of a failed assertion."""
    with pytest.raises(AssertionError) as error:
        assertion(*arguments, **options)
    return str(error.value)


def test_a_failed_guard_shows_the_moves_of_the_worst_query(results, files):
    """The message has titles, ranks before and after, and the command that shows all."""
    printed = message_of(results.assert_no_regression)
    assert '\nDocuments that moved for q07 "question q07":\n' in printed
    assert '\n  good "The answer", grade 2: rank 1 -> not found\n' in printed
    command = f"berryeval explain {files.judgments} {files.baseline} {files.run} --query q07"
    assert printed.splitlines()[-1] == (
        f"To see more: {command} -m nDCG@10 --all --documents {files.documents}"
    )


def test_a_search_that_left_no_run_can_save_one(files):
    """The command names the file that a test writes; both lines work."""
    found = Results(JUDGMENTS, WORSE, settings=replace(files, run=None))
    *_, keep, command = message_of(found.assert_no_regression).splitlines()
    assert keep == (
        "To see more, first save the run in a test: "
        'be.write_run(berryeval_results.run, "candidate.run")'
    )
    assert f" {files.baseline} candidate.run --query q07 -m nDCG@10 --all" in command


def test_a_failed_guard_counts_queries_that_returned_nothing(results):
    """This holds for both kinds of guards."""
    shown = "1 of 30 queries returned nothing: q07"
    assert shown in message_of(results.assert_no_regression)
    assert shown in message_of(results.assert_measure, "nDCG@10", at_least=0.9)


def test_without_files_no_command_is_shown():
    """The command could not name any file."""
    printed = message_of(Results(JUDGMENTS, WORSE).assert_no_regression, BASELINE)
    assert "good, grade 2: rank 1 -> not found" in printed
    assert "To see more" not in printed


def test_a_query_must_not_be_worse_than_in_the_baseline(results):
    """The message shows the documents that moved."""
    printed = message_of(results.query("q03").assert_no_regression)
    assert printed.startswith('q03 "question q03": nDCG@10 fell from 1.0000 to 0.2398.\n')
    assert "good" in printed


def test_a_query_that_is_bad_in_the_baseline_may_stay_bad():
    """Only a lower score fails; a tolerance allows some loss."""
    run = {"q1": ["b", "a"], "q2": ["x", "y", "z"]}
    results = Results({"q1": {"a": 1}, "q2": {"a": 1}}, run)
    baseline = {"q1": ["a", "b"], "q2": ["z"]}
    assert results.query("q2").assert_no_regression(baseline, "RR") == 0
    assert results.query("q1").assert_no_regression(baseline, "RR", tolerance=0.5) == 0.5
    with pytest.raises(AssertionError, match=r"q1: RR fell from 1\.0000 to 0\.5000"):
        results.query("q1").assert_no_regression(baseline, "RR", tolerance=0.4)


def test_a_missing_baseline_is_an_error():
    """The message says where to name one."""
    with pytest.raises(be.ArgumentError, match=r"name one in berryeval\.toml"):
        Results(JUDGMENTS, WORSE).query("q03").assert_no_regression()


def test_unreadable_documents_do_not_hide_the_failure(results, tmp_path):
    """The titles are omitted."""
    (tmp_path / "docs.jsonl").write_text("no json\n")
    assert "good, grade 2" in message_of(results.assert_no_regression)
