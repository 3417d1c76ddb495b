"""Standard errors of estimates from sampled judgments."""

import json
import math
import random

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.cli import main
from berryeval.core.judgments import Judgments
from berryeval.core.strata import find_strata, grades_by_stratum
from berryeval.errors import ArgumentError
from berryeval.kernels.relevance import NOT_IN_POOL, usable_grade
from berryeval.kernels.sampled import stratified_average_precision
from berryeval.kernels.sampling_variance import (
    inferred_ndcg_variance,
    stratified_average_precision_variance,
)
from depth import examples

documents = [b"d%d" % i for i in range(10)]
pools = st.dictionaries(st.sampled_from(documents), st.sampled_from([-1, -1, 0, 0, 1, 2]))
strata = st.dictionaries(st.sampled_from(documents), st.sampled_from([b"1", b"2"]))
rankings = st.lists(st.sampled_from([*documents, b"x", b"y"]), unique=True)


def kernel_input(pool, stratum_of, ranking):
    grade_of = grades_by_stratum(pool, stratum_of)
    judged = sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)
    return [usable_grade(grade_of, doc_id) for doc_id in ranking], judged


def jackknife(estimate, pool, stratum_of):
    """Return the variance by its definition: score again without each judged document."""
    total = 0.0
    for name, stratum in find_strata(pool, stratum_of).items():
        n = stratum.n_sampled
        if n == 0:
            return None
        members = [d for d in pool if stratum_of.get(d, b"") == name and pool[d] >= 0]
        without = [estimate(pool | {d: -1}) for d in members]
        mean = estimate(pool) if n == 1 else math.fsum(without) / n
        squares = math.fsum((one - mean) ** 2 for one in without)
        total += (1 - n / stratum.n_pooled) * squares * (1.0 if n == 1 else (n - 1) / n)
    return total


@examples(100)
@given(pool=pools, stratum_of=strata, ranking=rankings, k=st.none() | st.integers(1, 12))
def test_the_variance_of_xinfap_is_the_jackknife(pool, stratum_of, ranking, k):
    """It equals scoring again without each judged document."""

    def estimate(grades):
        return stratified_average_precision(*kernel_input(grades, stratum_of, ranking), k)

    found = stratified_average_precision_variance(*kernel_input(pool, stratum_of, ranking), k)
    expected = jackknife(estimate, pool, stratum_of)
    if expected is not None:  # only the evaluation sees strata without any document here
        assert found == pytest.approx(expected, abs=1e-12)


def ndcg(judged_by_stratum, ranking, k):
    """Estimate nDCG with an ideal ranking in which documents may count in part."""
    dcg = 0.0
    for members, judged in judged_by_stratum:
        retrieved = [(r, d) for r, d in enumerate(ranking[:k], start=1) if d in members]
        gains = [judged[d] / math.log2(r + 1) for r, d in retrieved if d in judged]
        dcg += len(retrieved) * math.fsum(gains) / len(gains) if gains else 0.0
    ideal = rank = 0.0
    for gain in sorted(
        {g for _, judged in judged_by_stratum for g in judged.values()}, reverse=True
    ):
        count = math.fsum(
            [*judged.values()].count(gain) * len(members) / len(judged)
            for members, judged in judged_by_stratum
            if judged
        )
        while count > 1e-9:
            part = min(count, math.floor(rank + 1e-9) + 1 - rank)
            if k is None or rank < k - 1e-9:
                ideal += part * gain / math.log2(math.floor(rank + 1e-9) + 2)
            rank, count = rank + part, count - part
    return dcg / ideal if ideal > 0 else 0.0


@examples(100)
@given(pool=pools, stratum_of=strata, ranking=rankings, k=st.none() | st.integers(1, 12))
def test_the_variance_of_infndcg_is_the_jackknife(pool, stratum_of, ranking, k):
    """The ideal ranking is not rounded."""

    def estimate(grades):
        names = {stratum_of.get(d, b"") for d in grades}
        by_stratum = []
        for name in sorted(names):
            members = {d for d in grades if stratum_of.get(d, b"") == name}
            by_stratum.append((members, {d: grades[d] for d in members if grades[d] >= 0}))
        return ndcg(by_stratum, ranking, k)

    found = inferred_ndcg_variance(*kernel_input(pool, stratum_of, ranking), k)
    expected = jackknife(estimate, pool, stratum_of)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-9)


def invented_set(draw, n_queries=12, n_documents=100):
    """Return complete grades, strata, and a ranking of each query."""
    grades, of_documents, run = {}, {}, {}
    for number in range(n_queries):
        query = f"q{number}"
        own = {
            f"d{i}": draw.choice([1, 2]) if draw.random() < 0.15 else 0 for i in range(n_documents)
        }
        scores = {doc_id: 1.2 * grade + draw.gauss(0, 1) for doc_id, grade in own.items()}
        run[query] = [*sorted(own, key=scores.__getitem__, reverse=True)[:80], "outside"]
        first = {*run[query][:15]}
        grades[query] = own
        of_documents[query] = {doc_id: "top" if doc_id in first else "rest" for doc_id in own}
    return grades, of_documents, run


def sampled(grades, of_documents, rate, draw):
    """Judge all documents of the top, and a share of the rest."""
    found = {}
    for query, own in grades.items():
        rest = [doc_id for doc_id in own if of_documents[query][doc_id] == "rest"]
        unjudged = {*rest} - {*draw.sample(rest, round(rate * len(rest)))}
        found[query] = {d: -1 if d in unjudged else grade for d, grade in own.items()}
    return Judgments.from_dict(found).with_strata(of_documents)


def test_estimates_are_nearly_unbiased_and_standard_errors_as_large_as_errors():
    """This is simulated with samples of a completely judged set."""
    draw = random.Random(1)  # noqa: S311 - a test set
    grades, of_documents, run = invented_set(draw)
    truth = be.evaluate(grades, run, ["AP", "nDCG"]).to_dict()
    n_draws = 25
    results = [
        be.evaluate(sampled(grades, of_documents, 0.5, draw), run, ["xinfAP", "infNDCG"],
                    sampling_errors=True)
        for _ in range(n_draws)
    ]  # fmt: skip
    for measure, complete in (("xinfAP", "AP"), ("infNDCG", "nDCG")):
        means = [result[measure].mean for result in results]
        errors = [result[measure].sampling_error for result in results]
        mean = math.fsum(means) / n_draws
        deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in means) / (n_draws - 1))
        assert mean == pytest.approx(truth[complete], abs=0.015)
        assert deviation > 0.003
        assert math.fsum(errors) / n_draws == pytest.approx(deviation, rel=0.35)
        single = [error for result in results for error in result[measure].sampling_errors.values()]
        assert math.fsum(single) / len(single) > 2 * deviation


JUDGMENTS = Judgments.from_dict(
    {
        "p": {"a": 1, "b": 0, "c": -1, "d": 1},
        "q": {"a": 1, "b": -1, "c": 0},
        "r": {"a": 1, "b": 0},
    }
).with_strata({"p": {"a": "1", "b": "2", "c": "2", "d": "2"}})
RUN = {"p": ["b", "a", "x", "d"], "q": ["c", "b", "a"], "r": ["b", "a"]}


def test_the_variance_of_a_mean_is_that_of_its_queries():
    """r is judged completely, and adds nothing. Weights of queries count."""
    result = be.evaluate(JUDGMENTS, RUN, ["xinfAP", "infNDCG", "AP"], sampling_errors=True)
    for measure in ("xinfAP", "infNDCG"):
        errors = result[measure].sampling_errors
        assert [*errors] == ["p", "q", "r"]
        assert min(errors["p"], errors["q"]) > errors["r"] == 0
        total = math.hypot(errors["p"], errors["q"])
        assert result[measure].sampling_error == pytest.approx(total / 3)
    assert (result["AP"].sampling_error, result["AP"].sampling_errors) == (None, {})
    queries = [be.Query(query_id, query_id, weight=weight)
               for query_id, weight in (("p", 2.0), ("q", 1.0), ("r", 1.0))]  # fmt: skip
    weighted = be.evaluate(JUDGMENTS, RUN, "infNDCG", queries=queries, sampling_errors=True)
    errors = weighted["infNDCG"].sampling_errors
    assert weighted["infNDCG"].sampling_error == pytest.approx(
        math.hypot(2 * errors["p"], errors["q"]) / 4
    )


def test_slices_have_errors_of_their_own():
    """They are computed over the queries of each slice."""
    queries = [be.Query(query_id, query_id, category=category)
               for query_id, category in (("p", "one"), ("q", "two"), ("r", "two"))]  # fmt: skip
    result = be.evaluate(JUDGMENTS, RUN, "xinfAP", queries=queries, sampling_errors=True)
    parts = result.by("category")
    assert parts["one"]["xinfAP"].sampling_error == result["xinfAP"].sampling_errors["p"]
    assert [*parts["two"]["xinfAP"].sampling_errors] == ["q", "r"]


def test_infap_takes_the_sample_for_one_stratum():
    """Its value has the same definition."""
    result = be.evaluate(JUDGMENTS, RUN, ["infAP", "xinfAP"], sampling_errors=True)
    flat = be.evaluate(JUDGMENTS.to_dict(), RUN, ["infAP", "xinfAP"], sampling_errors=True)
    assert result["infAP"].sampling_error == flat["infAP"].sampling_error
    assert flat["infAP"].sampling_error == flat["xinfAP"].sampling_error
    assert result["xinfAP"].sampling_error != flat["xinfAP"].sampling_error


def test_a_stratum_without_judgments_has_no_standard_error():
    """Nothing is known about its documents, whether or not they were retrieved."""
    for unjudged in ("b", "z"):
        pool = {"a": 1, "c": -1, "d": 0, unjudged: -1}
        strata = {"a": "1", "c": "1", "d": "1", unjudged: "2"}
        judgments = Judgments.from_dict({"p": pool, "q": {"a": 1}}).with_strata({"p": strata})
        run = {"p": ["b", "a", "c"], "q": ["a"]}
        result = be.evaluate(judgments, run, ["xinfAP", "infNDCG"], sampling_errors=True)
        for measure in ("xinfAP", "infNDCG"):
            assert result[measure].sampling_errors == {"p": None, "q": 0.0}
            assert result[measure].sampling_error is None


def test_no_estimate_is_an_error():
    """Other measures have no sampling error, nor do estimates of judged documents only."""
    for measure in ("AP", "xinfAP(judged_only=true)"):
        with pytest.raises(ArgumentError, match="measures: expected an estimate from a sample"):
            be.evaluate(JUDGMENTS, RUN, measure, sampling_errors=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Use a folder with the judgments and the run as files."""
    monkeypatch.chdir(tmp_path)
    be.write_judgments(JUDGMENTS, "prels.txt")
    be.write_run(be.Run.from_lists(RUN), "a.run")
    return tmp_path


def evaluate(*arguments):
    files = ["prels.txt", "a.run", "-m", "xinfAP", "-m", "AP", "--sampling-errors"]
    return CliRunner().invoke(main, ["evaluate", *files, *arguments])


@pytest.mark.usefixtures("folder")
def test_the_command_reports_standard_errors():
    """Tables, CSV and JSON contain them, for means and for queries."""
    expected = be.evaluate(JUDGMENTS, RUN, "xinfAP", sampling_errors=True)["xinfAP"]
    mean = f"{expected.mean:.4f} ± {expected.sampling_error:.4f}"
    shown = evaluate().stdout
    assert mean in shown
    assert "±: standard error that is due to judging a sample of the documents" in shown
    shown = evaluate("--per-query").stdout
    assert mean in shown
    assert f"{expected.by_query['p']:.4f} ± {expected.sampling_errors['p']:.4f}" in shown
    [run] = json.loads(evaluate("--json", "--per-query").stdout)["runs"]
    assert run["sampling_errors"] == {"xinfAP": expected.sampling_error}
    by_query = {query: {"xinfAP": error} for query, error in expected.sampling_errors.items()}
    assert run["sampling_errors_per_query"] == by_query
    lines = evaluate("--format", "csv", "--per-query", "--intervals").stdout.splitlines()
    assert lines[0] == "run,query,measure,value,low,high,sampling_error"
    assert (
        lines[1] == f"a.run,p,xinfAP,{expected.by_query['p']!r},,,{expected.sampling_errors['p']!r}"
    )
    assert lines[4].endswith(f",{expected.sampling_error!r}")
    assert lines[5].endswith(",,,")


def test_the_command_marks_unknown_standard_errors(folder):
    """They are a question mark with a note, null in JSON, and empty in CSV."""
    (folder / "prels.txt").write_text("p 0 a 1 1\np 0 b 2 -1\n")
    shown = evaluate().stdout
    assert "± ?" in shown
    assert "±?: unknown, because a stratum has no judged document." in shown
    assert json.loads(evaluate("--json").stdout)["runs"][0]["sampling_errors"] == {"xinfAP": None}


@pytest.mark.usefixtures("folder")
def test_the_command_requires_an_estimate():
    """Estimates are xinfAP, infNDCG and infAP."""
    files = ["prels.txt", "a.run", "-m", "AP", "--sampling-errors"]
    result = CliRunner().invoke(main, ["evaluate", *files])
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: measures: expected an estimate from a sample: xinfAP, infNDCG or infAP, without "
        "judged_only, got AP\n"
    )


def test_a_document_outside_the_pool_keeps_its_rank():
    """It is not relevant."""
    grades = [NOT_IN_POOL, 1.0]
    assert stratified_average_precision(grades, [1.0]) == 0.5
    assert stratified_average_precision_variance(grades, [1.0]) == 0.0
