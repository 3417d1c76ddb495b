"""The interface of ranx, compared with stored values of ranx (see make_ranx_values.py)."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from berryeval import Judgments
from berryeval.compat.ranx import Qrels, Report, Run, compare, evaluate
from berryeval.errors import ArgumentError, InputTypeError, MismatchError, UnknownMeasureError

STORED = json.loads(Path(__file__).with_name("ranx_values.json").read_text(encoding="utf-8"))
QRELS, RUNS = STORED["qrels"], STORED["runs"]
COMPARED = ["map@10", "mrr", "ndcg@10"]


@pytest.mark.parametrize("metric", STORED["scores"])
def test_scores_equal_those_of_ranx(metric):
    """There is one number per query, in the order of query ids."""
    qrels = QRELS
    if metric.startswith("rbp"):  # ranx multiplies by grades
        qrels = {q: {d: min(grade, 1) for d, grade in own.items()} for q, own in QRELS.items()}
    found = evaluate(Qrels(qrels), Run(RUNS["two"]), metric, return_mean=False)
    assert found.tolist() == pytest.approx(STORED["scores"][metric], abs=1e-12)


@pytest.mark.parametrize("test", ["student", "tukey"])
def test_reports_equal_those_of_ranx(test):
    """The dict has the same scores, p-values, wins and losses as ranx's."""
    runs = [Run(run, name) for name, run in RUNS.items()]
    found = compare(Qrels(QRELS), runs, COMPARED, stat_test=test, max_p=0.05).to_dict()
    expected = STORED["reports"][test]
    assert list(found) == list(expected)
    for model in RUNS:
        assert found[model]["win_tie_loss"] == expected[model]["win_tie_loss"]
        assert found[model]["scores"] == pytest.approx(expected[model]["scores"], abs=1e-12)
        for other, p_values in expected[model]["comparisons"].items():
            assert found[model]["comparisons"][other] == pytest.approx(
                p_values, rel=1e-6, nan_ok=True
            )


def test_the_randomisation_test_differs_by_chance_only():
    """p-values are those of ranx within the error of 1000 permutations, and never 0."""
    runs = [Run(run, name) for name, run in RUNS.items()]
    found = compare(Qrels(QRELS), runs, COMPARED, stat_test="fisher").to_dict()
    for model in RUNS:
        for other, p_values in STORED["reports"]["fisher"][model]["comparisons"].items():
            own = found[model]["comparisons"][other]
            assert min(own.values()) > 0
            assert own == pytest.approx(p_values, abs=0.07)


def test_the_table_is_that_of_ranx():
    """Letters name the runs that a score is significantly better than."""
    runs = [Run(run, name) for name, run in RUNS.items()]
    report = compare(Qrels(QRELS), runs, COMPARED, max_p=0.05)
    assert isinstance(report, Report)
    assert str(report) == STORED["table"]


def test_means_and_deviations():
    """One metric gives a float, several a dict; the deviation is that of all queries."""
    qrels, run = Qrels(QRELS), Run(RUNS["two"])
    mean = evaluate(qrels, run, "ndcg@10")
    assert mean == pytest.approx(STORED["spread"]["mean"], abs=1e-12)
    assert evaluate(qrels, run, ["ndcg@10", "mrr"]) == {"ndcg@10": mean, "mrr": 1.0}
    spread = evaluate(qrels, run, "ndcg@10", return_std=True)
    assert spread == pytest.approx(STORED["spread"], abs=1e-12)
    assert run.mean_scores == {"ndcg@10": mean, "mrr": 1.0}
    assert run.std_scores == {"ndcg@10": spread["std"]}
    assert list(run.scores["mrr"]) == STORED["query_ids"]


def test_results_are_not_saved_unless_wanted():
    """The run is unchanged."""
    run = Run(RUNS["one"])
    evaluate(QRELS, run, "mrr", save_results_in_run=False)
    assert (run.scores, run.mean_scores) == ({}, {})


def test_dicts_are_matched_by_query():
    """ranx takes the first query of one with the first of the other."""
    qrels = {"b": {"x": 1}, "a": {"y": 1}}
    run = {"a": {"y": 1.0}, "b": {"z": 1.0}}
    assert evaluate(qrels, run, "mrr", return_mean=False).tolist() == [0.0, 1.0]


def test_ties_break_by_document_id():
    """The same data has one value, as a dict, a Run, or in another order."""
    qrels = {"q": {"a": 1}}
    runs = [{"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"c": 1.0, "b": 1.0, "a": 1.0}}]
    found = [evaluate(qrels, run, "mrr") for run in (*runs, *map(Run, runs))]
    assert found == [pytest.approx(1 / 3)] * 4


def test_measures_are_defined_where_ranx_returns_nan_or_more_than_1():
    """Examples are bpref without judged non-relevant documents, and rbp with grades."""
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate({"q": {"a": 1, "b": 1}}, run, "bpref") == 1.0
    assert evaluate({"q": {"a": 0}}, run, "bpref") == 0.0
    assert evaluate({"q": {"a": 3, "b": 3}}, run, "rbp.5") == pytest.approx(0.75)


def test_grades_can_be_fractions():
    """ranx truncates 1.5 to 1."""
    found = evaluate({"q": {"a": 1.5, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}}, "dcg")
    assert found == pytest.approx(1.5 + 3 / math.log2(3))


def test_different_queries_are_an_error_unless_made_comparable():
    """Missing ones then score 0, others are ignored, and the run is unchanged."""
    qrels, run = Qrels({"a": {"x": 1}, "b": {"y": 1}}), Run({"a": {"x": 1.0}, "c": {"y": 1.0}})
    with pytest.raises(MismatchError) as caught:
        evaluate(qrels, run, "mrr")
    assert str(caught.value) == (
        "1 judged queries are missing from the run, and 1 queries of the run are not judged; "
        "make_comparable=True scores the former as 0 and ignores the latter"
    )
    assert evaluate(qrels, run, "mrr", make_comparable=True) == 0.5
    assert run.get_query_ids() == ["a", "c"]
    assert run.make_comparable(qrels).to_dict() == {"a": {"x": 1.0}, "b": {}}


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ("ndgc@10", UnknownMeasureError, "unknown measure 'ndgc@10': did you mean 'ndcg'?"),
        ("rbp", ArgumentError, "metrics: expected a persistence, as in 'rbp.95', got 'rbp'"),
        ([], InputTypeError, "metrics: expected one name or several, got []"),
        ([5], InputTypeError, "metrics: expected one name or several, got [5]"),
    ],
)
def test_an_unknown_metric_is_an_error(metrics, error, message):
    """The message shows the nearest name."""
    with pytest.raises(error) as caught:
        evaluate(QRELS, RUNS["one"], metrics)
    assert str(caught.value).startswith(message)


FRAME = {"q": ["q1", "q1", "q2"], "d": ["a", "b", "a"], "s": [1, 2, 3], "other": [0, 0, 0]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_have_any_columns_and_types(make):
    """ranx requires object and float64 columns."""
    names = {"q_id_col": "q", "doc_id_col": "d", "score_col": "s"}
    expected = {"q1": {"b": 2, "a": 1}, "q2": {"a": 3}}
    assert Qrels.from_df(make(FRAME), **names).to_dict() == expected
    run = Run.from_df(make(FRAME), **names, name="bm25")
    assert (run.to_dict(), run.name) == (expected, "bm25")
    with pytest.raises(ArgumentError, match="df: expected a column 'q_id', got columns"):
        Run.from_df(make(FRAME))


def test_runs_are_written_best_first(tmp_path):
    """As in ranx, queries are in the order of their ids; tied documents are sorted by rank."""
    run = Run({"q2": {"a": 1.0, "b": 3.0, "c": 2.0, "d": 2.0}, "q1": {"a": 0.5}}, "bm25")
    run.save(tmp_path / "run.trec", kind="trec")
    assert (tmp_path / "run.trec").read_text() == (
        "q1 Q0 a 1 0.5 bm25\n"
        "q2 Q0 b 1 3 bm25\nq2 Q0 d 2 2 bm25\nq2 Q0 c 3 2 bm25\nq2 Q0 a 4 1 bm25\n"
    )
    run.save(tmp_path / "run.json")
    assert list(json.loads((tmp_path / "run.json").read_text())["q2"]) == ["b", "d", "c", "a"]


@pytest.mark.parametrize("ending", ["json", "trec", "parquet"])
def test_files_are_written_and_read(ending, tmp_path):
    """The kinds of files are those of ranx."""
    qrels, run = Qrels({"q1": {"a": 2, "b": 0}}), Run({"q1": {"a": 0.5, "b": 0.75}}, "bm25")
    kind = None if ending == "json" else ending
    qrels.save(tmp_path / f"qrels.{ending}", kind)
    run.save(tmp_path / f"run.{ending}", kind)
    assert Qrels.from_file(tmp_path / f"qrels.{ending}", kind).to_dict() == qrels.to_dict()
    assert Run.from_file(tmp_path / f"run.{ending}").to_dict() == run.to_dict()
    if ending == "trec":
        assert Run.from_file(tmp_path / "run.trec").name == "bm25"
    if ending == "parquet":
        columns = {"q_id_col": "query_id", "score_col": "relevance"}
        assert (
            Qrels.from_parquet(tmp_path / "qrels.parquet", **columns).to_dict() == qrels.to_dict()
        )
    with pytest.raises(ArgumentError, match="kind: expected one of json, trec"):
        Run.from_file(tmp_path / "run.json", "xml")


def test_collections_can_be_built_step_by_step():
    """As in ranx, a query that is added again is replaced, and documents are sorted."""
    qrels = Qrels()
    qrels.add_score("q2", "a", 1)
    qrels.add("q1", ["a", "b"], [1, 3])
    qrels.add_multi(["q1", "q3"], [["c", "d"], ["e"]], [[1, 2], [5]])
    assert list(qrels.to_dict()["q1"].items()) == [("d", 2), ("c", 1)]
    assert (len(qrels), qrels.size, list(qrels.keys())) == (3, 3, ["q1", "q2", "q3"])
    assert qrels["q3"] == {"e": 5}
    with pytest.raises(KeyError):
        qrels["q4"]
    qrels.set_relevance_level(2)
    assert qrels.qrels["q1"] == {"d": 1, "c": 0}
    assert list(qrels.to_dataframe()["score"]) == [1, 0, 0, 4]
    assert qrels.get_doc_ids_and_scores() == [{"d": 1, "c": 0}, {"a": 0}, {"e": 4}]


def test_own_judgments_are_accepted():
    """They are not copied."""
    judgments = Judgments.from_dict({"q": {"a": 1}})
    assert Qrels(judgments, "set").table() is judgments
    assert repr(Qrels(judgments, "set")) == "<Qrels set: <Judgments: 1 query, 1 document>>"


def test_runs_need_different_names():
    """ranx keeps the last one."""
    with pytest.raises(ArgumentError, match="runs: expected runs with different names"):
        compare(QRELS, [Run(RUNS["one"], "x"), Run(RUNS["two"], "x")], "mrr")
    assert compare(QRELS, [Run(RUNS["one"]), Run(RUNS["two"])], "mrr").model_names == [
        "run_1",
        "run_2",
    ]


def test_more_runs_than_letters_can_be_compared():
    """ranx stops at 26; equal runs have no p-value and do not differ."""
    runs = [Run(RUNS["one"], f"run {number}") for number in range(28)]
    report = compare(QRELS, runs, ["ndcg@10-l2", "rbp.95"])
    lines = str(report).splitlines()
    assert [line.split()[0] for line in lines[26:]] == ["y", "z", "aa", "ab"]
    assert lines[0].split() == ["#", "Model", "NDCG@10-l2", "RBP.95"]
    pair = report.comparisons["run 0", "run 1"]["rbp.95"]
    assert math.isnan(pair["p_value"])
    assert not pair["significant"]


def test_reports_have_the_forms_of_ranx(tmp_path, capsys):
    """These are LaTeX, frames, JSON and percentages."""
    runs = [Run(RUNS[name], f"run_{name}") for name in ("one", "two")]
    report = compare(Qrels(QRELS), runs, "mrr", max_p=0.05, show_percentages=True)
    assert "run\\_two & \\textbf{100.0}$^{a}$" in report.to_latex()
    assert "paired t-test with $p \\le 0.05$" in report.to_latex()
    assert "100.0ᵃ" in str(report)
    frame = report.to_dataframe()
    assert list(frame.columns) == ["model_names", "mrr"]
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == report.to_dict()
    report.print_results()
    assert json.loads(capsys.readouterr().out) == report.results


def test_an_unknown_test_is_an_error():
    """The message lists those that exist."""
    with pytest.raises(ArgumentError, match="stat_test: expected 'student', 'fisher' or 'tukey'"):
        compare(QRELS, [Run(RUNS["one"]), Run(RUNS["two"])], "mrr", stat_test="wilcoxon")


def test_arrays_are_returned_as_numpy_arrays():
    """Like those of ranx, they can be compared element by element."""
    found = evaluate(QRELS, RUNS["one"], ["mrr", "map"], return_mean=False)
    assert {type(values) for values in found.values()} == {np.ndarray}
