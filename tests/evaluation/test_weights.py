"""Weighted queries: every mean is weighted, and so is its error."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval import Query, compare, evaluate, gate
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.evaluation.all_pairs import all_pairs, run_similarity
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.ceilings import best_possible
from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.hole_queue import queue_holes
from berryeval.evaluation.holes import find_holes
from berryeval.evaluation.mean_bounds import mean_bounds
from berryeval.evaluation.quality import QueryResult, quality_report
from berryeval.evaluation.repeats import noise_in
from berryeval.evaluation.sampling import PLAIN, sampling_of
from berryeval.evaluation.standing import slice_standings, standings
from berryeval.evaluation.weighting import (
    mean_over,
    scaled,
    weights_of,
)
from berryeval.measures import parse_measure
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.evaluation import evaluations_tables, evaluations_to_json
from berryeval.reports.gate import gate_to_json
from berryeval.reports.latex import comparison_to_latex, evaluations_to_latex
from berryeval.reports.layout import tables_to_text
from berryeval.suite.evaluate_system import evaluate_system
from evaluation.gating_cases import RELEVANT, ids, judged, ranked
from evaluation.weighted_queries import P5, WEIGHTS, by_id, compared, evaluated, weighted

HITS, OTHER_HITS = (5, 1, 2, 0), (4, 3, 2, 0)


MEAN, OTHER_MEAN = 0.54, 0.5
"""P@5 by hand: (40 * 5 + 10 * 1 + 30 * 2) / 500 and (40 * 4 + 10 * 3 + 30 * 2) / 500."""


class TestOneMean:
    """The same weighted mean everywhere."""

    def test_an_evaluation_is_weighted(self):
        """Notes and JSON have the effective number of queries."""
        found = evaluated(HITS, WEIGHTS)
        assert found["P@5"].mean == pytest.approx(MEAN)
        assert found.effective_queries == pytest.approx(100**2 / (1600 + 100 + 900 + 400))
        [run] = json.loads(evaluations_to_json({"run": found}))["runs"]
        assert run["means"]["P@5"] == found["P@5"].mean
        assert run["effective_queries"] == found.effective_queries
        note = "Means are weighted: the 4 queries are worth 3.3 of equal weight"
        assert note in tables_to_text(evaluations_tables({"run": found}))
        assert note in evaluations_to_latex({"run": found})

    def test_a_slice_is_weighted(self):
        """It uses the weights of its queries."""
        categories = ("how", "what", "how", "what")
        queries = [
            Query(q, q, weight=weight, category=category)
            for q, weight, category in zip(ids(4), WEIGHTS, categories, strict=True)
        ]
        found = evaluate(judged(4), ranked(HITS), "P@5", queries=queries)
        how = (40 * 1.0 + 30 * 0.4) / 70
        assert found.by("category")["how"]["P@5"].mean == pytest.approx(how)
        [part, *_] = slice_standings(found, None, P5, by_id(queries))
        assert part.mean == found.by("category")["how"]["P@5"].mean

    def test_a_comparison_and_its_pairs_are_weighted(self):
        """The difference of both means is the mean of the differences."""
        found = compared(OTHER_HITS, HITS, WEIGHTS)
        [difference] = found.differences
        assert difference.baseline_mean == found.evaluations["baseline"]["P@5"].mean
        assert difference.candidate_mean == pytest.approx(MEAN)
        assert difference.mean == pytest.approx(MEAN - OTHER_MEAN)
        [pair] = all_pairs(found)
        assert pair.difference.mean == difference.mean
        written = json.loads(comparison_to_json(found))
        assert written["effective_queries"] == pytest.approx(10 / 3)
        assert written["differences"][0]["effective_queries"] == pytest.approx(10 / 3)
        assert any(note.startswith("Means are weighted") for note in found.notes)
        assert "Means are weighted" in comparison_to_latex(found)
        before, after = (found.evaluations[name] for name in ("baseline", "candidate"))
        [standing] = standings(after, before)
        assert (standing.mean, standing.change.mean) == (after["P@5"].mean, difference.mean)

    def test_a_gate_is_weighted(self):
        """This includes thresholds, margins and the means of the baseline."""
        result = gate(
            compared(OTHER_HITS, HITS, WEIGHTS),
            [ThresholdGuard(P5, 0.53), MarginGuard(P5, Margin.parse(0.05))],
            inference="set",
        )
        threshold, margin = result.guards
        assert (threshold.value, threshold.verdict) == (pytest.approx(MEAN), "pass")
        assert margin.means == (pytest.approx(OTHER_MEAN), pytest.approx(MEAN))
        assert margin.value == pytest.approx(MEAN - OTHER_MEAN)
        written = json.loads(gate_to_json(result))["guards"]
        assert [one["effective_queries"] for one in written] == [pytest.approx(10 / 3)] * 2
        assert "4 queries, weighted: worth 3.3 of equal weight" in result.sentence

    def test_holes_are_weighted(self):
        """This includes bounds of means, and effects of documents."""
        judgments = Judgments.from_dict({q: {"d": 1} for q in ids(2)})
        run = {"run": Run.from_lists({q: ["d", "x"] for q in ids(2)})}
        queries = by_id(weighted((3, 1)))
        [found] = mean_bounds(judgments, run, [parse_measure("P@2")], queries=queries)
        assert (found.mean, found.bounds.low, found.bounds.high) == (0.5, 0.5, 1.0)
        first, second = find_holes(judgments, run, [parse_measure("P@2")], queries=queries)
        assert (first.query_id, first.effect, second.effect) == ("q000", 0.375, 0.125)
        queue = queue_holes(judgments, run, parse_measure("P@2"), queries=queries)
        assert [hole.effect for hole in queue.holes] == [0.375, 0.125]
        [only_head] = queue_holes(
            judgments, run, parse_measure("P@2"), most=1, queries=queries
        ).holes
        assert only_head.effect == 0.375

    def test_weighted_bounds_contain_the_mean(self):
        """This includes bounds of differences."""
        runs = {
            "baseline": {"q000": ["r0"], "q001": ["x"]},
            "candidate": {"q000": ["y"], "q001": ["r0"]},
        }
        found = compare(judged(2), runs, "P@1", queries=weighted((3, 1)), bounds=True)
        [difference] = found.differences
        assert difference.mean == -0.5
        assert (difference.bounds.low, difference.bounds.high) == (-0.75, 0.25)

    def test_a_quality_report_is_weighted(self):
        """This includes its categories."""
        queries = weighted(WEIGHTS, category="how")
        results = [
            QueryResult(query_id, "", tuple(ranking), frozenset(RELEVANT))
            for query_id, ranking in ranked(HITS).items()
        ]
        report = quality_report(results, queries)
        assert report.precision_at_5 == evaluated(HITS, WEIGHTS)["P@5"].mean
        assert report.by_category["how"].precision_at_5 == report.precision_at_5
        assert report.effective_queries == pytest.approx(10 / 3)

    def test_a_live_system_and_a_baseline_are_weighted(self):
        """So are the best possible means."""
        queries = weighted(WEIGHTS)
        rankings = {query.text: ranked(HITS)[query.query_id] for query in queries}
        found = evaluate_system(
            lambda text, _: rankings[text], queries, [5], judgments=judged(4)
        ).summary
        assert found.mean_precision[5] == evaluated(HITS, WEIGHTS)["P@5"].mean
        assert found.effective_queries == pytest.approx(10 / 3)
        judgments, run = Judgments.from_dict(judged(4)), Run.from_lists(ranked(HITS))
        baseline = Baseline.make("main", judgments, run, [P5], queries=by_id(queries))
        assert baseline.means["P@5"] == evaluated(HITS, WEIGHTS)["P@5"].mean
        few = Judgments.from_dict({"q000": {"d": 1}, "q001": dict.fromkeys(RELEVANT, 1)})
        assert best_possible(few, "P@5", queries=weighted((3, 1))) == {"P@5": pytest.approx(0.4)}

    def test_similarity_of_rankings_is_weighted(self):
        """A query with three times the weight counts three times."""
        runs = {"a": {"q000": ["r0"], "q001": ["r1"]}, "b": {"q000": ["r0"], "q001": ["n1"]}}
        found = compare(judged(2), runs, "P@1", queries=weighted((3, 1)))
        assert run_similarity(found)[0].overlap == pytest.approx(0.75)

    def test_a_geometric_mean_is_that_of_weighted_logarithms(self):
        """A sum is not weighted: it counts each query once."""
        found = evaluated((5, 1), (3, 1), ["GMAP", "NumRet"])
        first, second = evaluate(judged(2), ranked((5, 1)), "AP")["AP"].values
        assert found["GMAP"].mean == pytest.approx(first ** (3 / 4) * second ** (1 / 4))
        assert found["NumRet"].mean == 10

    def test_the_mean_over_repeats_is_weighted(self):
        """So is the shared noise, by the effective number of queries."""
        runs = [evaluated(hits, (3, 1)) for hits in ((5, 0), (4, 2))]
        changes = np.array([[0.0, 0.0], [-0.2, 0.4]])
        means = changes @ [0.75, 0.25]
        interaction = ((changes[1, 0] - changes[1, 1]) / 2) ** 2
        expected = means.var(ddof=1) - interaction / (16 / 10)
        assert noise_in(runs, P5).shared == pytest.approx(math.sqrt(max(0.0, expected)))


class TestWeights:
    """The definition of weights."""

    def test_a_query_without_weight_counts_like_the_least_frequent(self):
        """All known queries are considered, and unknown ones are treated alike."""
        known = by_id(weighted((40, 10, None, 5)))
        expected = scaled([40, 10, 5, 5])
        assert weights_of(known, ["q000", "q001", "q002", "unknown"]) == expected
        assert sampling_of(known, ["q000", "q002"]).mean_over(np.array([1.0, 0.0])) == 40 / 45

    @pytest.mark.parametrize("weights", [(7, 7, 7, 7), (None,) * 4, (3.3, None, None, 3.3)])
    def test_equal_weights_change_nothing(self, weights):
        """Results are bit-identical, and no note mentions weights."""
        plain, found = compared(OTHER_HITS, HITS, ()), compared(OTHER_HITS, HITS, weights)
        assert found.sampling is PLAIN
        assert found.evaluations["candidate"].to_dict() == plain.evaluations["candidate"].to_dict()
        assert not any("weight" in note for note in found.notes)
        assert evaluated(HITS, weights).effective_queries is None

    @pytest.mark.parametrize("factor", [1e-300, 0.25, 3, 1e300])
    def test_only_the_proportions_of_weights_matter(self, factor):
        """Their scale is irrelevant."""
        found = evaluated(HITS, [weight * factor for weight in WEIGHTS])
        assert found["P@5"].mean == pytest.approx(MEAN)
        assert found["P@5"].interval.low == pytest.approx(
            evaluated(HITS, WEIGHTS)["P@5"].interval.low
        )

    def test_a_whole_weight_equals_repeated_queries(self):
        """The mean equals that of a set with this many copies of the query."""
        found = evaluated((5, 1, 3), (3, 1, 2))["P@5"].mean
        assert found == pytest.approx(
            evaluate(judged(6), ranked((5, 5, 5, 1, 3, 3)), "P@5")["P@5"].mean
        )

    @given(
        st.lists(
            st.tuples(st.floats(1e-6, 1e6), st.floats(0, 1), st.booleans()), min_size=1, max_size=30
        )
    )
    def test_all_implementations_of_a_mean_agree(self, rows):
        """Plain Python and NumPy, for all queries and slices, return identical bits."""
        known = {str(i): Query(str(i), "", weight=weight) for i, (weight, _, _) in enumerate(rows)}
        places = [i for i, (_, _, is_in) in enumerate(rows) if is_in] or [0]
        values = [rows[i][1] for i in places]
        taken = sampling_of(known, known).take(places)
        own = weights_of(known, [str(i) for i in places])
        assert taken.weights == own
        mean = mean_over(values, own)
        assert taken.mean_over(np.array(values)) == mean
        sample = taken.mean_of(np.array(values))
        assert sample is None or sample.mean == pytest.approx(mean, rel=1e-12, abs=1e-15)

    def test_a_plain_evaluation_does_not_import_numpy(self):
        """Weights must not slow down the start."""
        code = (
            "import sys, berryeval as be\n"
            "queries = [be.Query('q1', '', weight=2), be.Query('q2', '', weight=1)]\n"
            "be.evaluate({'q1': {'d': 1}, 'q2': {'d': 1}}, {'q1': ['d']}, 'RR', queries=queries)\n"
            "sys.exit('numpy' in sys.modules)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
