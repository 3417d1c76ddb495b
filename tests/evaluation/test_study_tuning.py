"""The comparison of tuned fusions on queries that were not used for the choice."""

import pytest

import berryeval as be

study = pytest.importorskip("study_tuning", reason="no scripts in a source distribution")

QUERIES = [f"q{number}" for number in range(10)]


@pytest.fixture
def folder(tmp_path):
    """A collection with a good run and a bad one; one query is only in one run."""
    place = tmp_path / "tiny"
    place.mkdir()
    judged = {**{query: {"a": 1} for query in QUERIES}, "alone": {"a": 1}}
    be.write_judgments(be.Judgments.from_dict(judged), place / "qrels.txt")
    good = {query: {"a": 2.0, "b": 1.0} for query in [*QUERIES, "alone"]}
    be.write_run(be.Run.from_dict(good), place / "good.run")
    bad = {query: {"b": 2.0, "a": 1.0} for query in QUERIES}
    be.write_run(be.Run.from_dict(bad), place / "bad.run")
    return tmp_path


def test_tools_are_compared_on_the_queries_of_all_runs(folder):
    """All use the folds of `tune_fusion`; a tool that chooses badly loses."""
    [one] = study.read_studies(folder)
    assert sorted(one.judgments.query_ids) == QUERIES
    wrong = [{query: ["b", "a"] for query in QUERIES}] * study.N_FOLDS
    tools = {
        "wrong": lambda tasks: [wrong for _ in tasks],
        "ours": study.choose_by_berryeval,
    }
    shown = study.tables([one], tools, range(2))
    weights, methods = (part for part in shown.split("### ") if part)
    row = weights.splitlines()[4]
    assert row.startswith("| tiny | 10 | 1.000 | 0.631 | 0.631 |"), row
    assert "| 1.000 | 1.000 |" in row
    assert "| +0.369" in row
    assert methods.startswith("methods")


def test_optimism_is_what_a_query_gains_by_having_a_part_in_the_choice():
    """The choice fits only its training queries."""
    one = study.Study("tiny", be.Judgments.from_dict({"q1": {"a": 1}, "q2": {"a": 1}}), {})
    right, wrong = ["a"], ["b"]
    choices = [{"q1": wrong, "q2": right}, {"q1": right, "q2": wrong}]
    found = study.outcome_of(one, [["q1"], ["q2"]], choices)
    assert found.held_out == {"q1": 0.0, "q2": 0.0}
    assert found.training == {"q1": 1.0, "q2": 1.0}
    assert found.optimism == [1.0, 1.0]
