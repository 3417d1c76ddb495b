"""Queries that count as often as people ask them: every mean is weighted, and so is its error."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from berryeval import MismatchError, Query, compare, evaluate, gate
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.evaluation.all_pairs import all_pairs, run_similarity
from berryeval.evaluation.baseline import Baseline
from berryeval.evaluation.ceilings import best_possible
from berryeval.evaluation.deciding import Column, estimate_family
from berryeval.evaluation.detection import detection_in
from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.hole_queue import queue_holes
from berryeval.evaluation.holes import find_holes
from berryeval.evaluation.mean_bounds import mean_bounds
from berryeval.evaluation.power import sensitivity
from berryeval.evaluation.quality import QueryResult, quality_report
from berryeval.evaluation.repeats import noise_in
from berryeval.evaluation.sampling import PLAIN, Sampling, sampling_of
from berryeval.evaluation.slices import find_all_slices, find_slices
from berryeval.evaluation.standing import slice_standings, standings
from berryeval.evaluation.weighing import (
    effective_number,
    mean_over,
    parts_of_traffic,
    scaled,
    weights_of,
)
from berryeval.measures import parse_measure
from berryeval.reports.comparison import comparison_to_json
from berryeval.reports.evaluation import evaluations_to_json, evaluations_to_text
from berryeval.reports.gate import gate_to_json
from berryeval.reports.latex import comparison_to_latex, evaluations_to_latex
from berryeval.reports.power import power_to_json, power_to_text
from berryeval.stats import mean_of, simultaneous_intervals
from berryeval.suite.evaluate_system import evaluate_system
from evaluation.gating_cases import RELEVANT, ids, judged, only, ranked

P5, GMAP = parse_measure("P@5"), parse_measure("GMAP")
WEIGHTS = (40, 10, 30, 20)
HITS, OTHER_HITS = (5, 1, 2, 0), (4, 3, 2, 0)
MEAN, OTHER_MEAN = 0.54, 0.5
"""Of P@5 by hand: (40 * 5 + 10 * 1 + 30 * 2) / 500 and (40 * 4 + 10 * 3 + 30 * 2) / 500."""


def weighted(weights, **labels):
    """Queries with these weights; None for one without."""
    return [
        Query(query_id, f"what is {query_id}", weight=weight, **labels)
        for query_id, weight in zip(ids(len(weights)), weights, strict=True)
    ]


def by_id(queries):
    return {query.query_id: query for query in queries}


def evaluated(hits, weights, measures="P@5", **labels):
    return evaluate(judged(len(hits)), ranked(hits), measures, queries=weighted(weights, **labels))


def compared(before, after, weights, measures="P@5", **options):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    queries = weighted(weights) if weights else ()
    return compare(judged(len(before)), runs, measures, queries=queries, **options)


class TestOneMean:
    """The same weighted mean wherever a mean is shown."""

    def test_an_evaluation_has_it(self):
        """With how many queries of equal weight are worth as much, in the notes and in JSON."""
        found = evaluated(HITS, WEIGHTS)
        assert found["P@5"].mean == pytest.approx(MEAN)
        assert found.effective_queries == pytest.approx(100**2 / (1600 + 100 + 900 + 400))
        [run] = json.loads(evaluations_to_json({"run": found}))["runs"]
        assert run["means"]["P@5"] == found["P@5"].mean
        assert run["effective_queries"] == found.effective_queries
        note = "Means are weighted: the 4 queries are worth 3.3 of equal weight"
        assert note in evaluations_to_text({"run": found})
        assert note in evaluations_to_latex({"run": found})

    def test_a_slice_has_that_of_its_queries(self):
        """By their own weights."""
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

    def test_a_comparison_and_its_pairs_have_it(self):
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

    def test_a_gate_has_it(self):
        """Thresholds and margins, and what the baseline's means are."""
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

    def test_holes_have_it(self):
        """The bounds of means, and how far one document could change a mean."""
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

    def test_the_bounds_of_a_mean_contain_it(self):
        """Those of differences, too."""
        runs = {
            "baseline": {"q000": ["r0"], "q001": ["x"]},
            "candidate": {"q000": ["y"], "q001": ["r0"]},
        }
        found = compare(judged(2), runs, "P@1", queries=weighted((3, 1)), bounds=True)
        [difference] = found.differences
        assert difference.mean == -0.5
        assert (difference.bounds.low, difference.bounds.high) == (-0.75, 0.25)

    def test_a_quality_report_has_it(self):
        """With its categories."""
        queries = weighted(WEIGHTS, category="how")
        results = [
            QueryResult(query_id, "", tuple(ranking), frozenset(RELEVANT))
            for query_id, ranking in ranked(HITS).items()
        ]
        report = quality_report(results, queries)
        assert report.precision_at_5 == evaluated(HITS, WEIGHTS)["P@5"].mean
        assert report.by_category["how"].precision_at_5 == report.precision_at_5
        assert report.effective_queries == pytest.approx(10 / 3)

    def test_a_live_system_and_a_baseline_have_it(self):
        """And what no system can exceed."""
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

    def test_similarity_of_rankings_has_it(self):
        """The query that is asked three times as often counts three times."""
        runs = {"a": {"q000": ["r0"], "q001": ["r1"]}, "b": {"q000": ["r0"], "q001": ["n1"]}}
        found = compare(judged(2), runs, "P@1", queries=weighted((3, 1)))
        assert run_similarity(found)[0].overlap == pytest.approx(0.75)

    def test_a_geometric_mean_is_that_of_weighted_logarithms(self):
        """And a sum is none: it counts each query once."""
        found = evaluated((5, 1), (3, 1), ["GMAP", "NumRet"])
        first, second = evaluate(judged(2), ranked((5, 1)), "AP")["AP"].values
        assert found["GMAP"].mean == pytest.approx(first ** (3 / 4) * second ** (1 / 4))
        assert found["NumRet"].mean == 10

    def test_the_mean_over_repeats_is_weighted(self):
        """So is the noise that queries share, by the effective number of queries."""
        runs = [evaluated(hits, (3, 1)) for hits in ((5, 0), (4, 2))]
        changes = np.array([[0.0, 0.0], [-0.2, 0.4]])
        means = changes @ [0.75, 0.25]
        interaction = ((changes[1, 0] - changes[1, 1]) / 2) ** 2
        expected = means.var(ddof=1) - interaction / (16 / 10)
        assert noise_in(runs, P5).shared == pytest.approx(math.sqrt(max(0.0, expected)))


class TestWeights:
    """What counts as the weight of a query."""

    def test_a_query_without_one_counts_as_the_least_asked(self):
        """Of all known queries, also those that are not scored; an unknown query does, too."""
        known = by_id(weighted((40, 10, None, 5)))
        expected = scaled([40, 10, 5, 5])
        assert weights_of(known, ["q000", "q001", "q002", "unknown"]) == expected
        assert sampling_of(known, ["q000", "q002"]).mean_over(np.array([1.0, 0.0])) == 40 / 45

    @pytest.mark.parametrize("weights", [(7, 7, 7, 7), (None,) * 4, (3.3, None, None, 3.3)])
    def test_equal_weights_change_nothing(self, weights):
        """To the last bit, and nothing says that means are weighted."""
        plain, found = compared(OTHER_HITS, HITS, ()), compared(OTHER_HITS, HITS, weights)
        assert found.sampling is PLAIN
        assert found.evaluations["candidate"].to_dict() == plain.evaluations["candidate"].to_dict()
        assert not any("weight" in note for note in found.notes)
        assert evaluated(HITS, weights).effective_queries is None

    @pytest.mark.parametrize("factor", [1e-300, 0.25, 3, 1e300])
    def test_only_their_proportions_matter(self, factor):
        """However large or small they are."""
        found = evaluated(HITS, [weight * factor for weight in WEIGHTS])
        assert found["P@5"].mean == pytest.approx(MEAN)
        assert found["P@5"].interval.low == pytest.approx(
            evaluated(HITS, WEIGHTS)["P@5"].interval.low
        )

    def test_a_whole_weight_is_a_query_that_often(self):
        """The mean is that of a set in which the query stands so many times."""
        found = evaluated((5, 1, 3), (3, 1, 2))["P@5"].mean
        assert found == pytest.approx(
            evaluate(judged(6), ranked((5, 5, 5, 1, 3, 3)), "P@5")["P@5"].mean
        )

    @given(
        st.lists(
            st.tuples(st.floats(1e-6, 1e6), st.floats(0, 1), st.booleans()), min_size=1, max_size=30
        )
    )
    def test_every_way_to_a_mean_ends_at_the_same_number(self, rows):
        """In plain Python and in NumPy, of all queries and of a slice, to the last bit."""
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

    def test_a_plain_evaluation_loads_no_numpy(self):
        """Weights are no reason to start slowly, whether there are any or not."""
        code = (
            "import sys, berryeval as be\n"
            "queries = [be.Query('q1', '', weight=2), be.Query('q2', '', weight=1)]\n"
            "be.evaluate({'q1': {'d': 1}, 'q2': {'d': 1}}, {'q1': ['d']}, 'RR', queries=queries)\n"
            "sys.exit('numpy' in sys.modules)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def robust(values, weights):
    """Standard error and degrees of freedom of a weighted mean, with every matrix written out.

    CR2 with each query a cluster, under a working model of equal variances; Satterthwaite's
    degrees of freedom under the same.
    """
    shares = np.asarray(weights, float) / np.sum(weights)
    n = len(shares)
    maker = np.eye(n) - np.outer(np.ones(n), shares)
    covariance = maker @ maker.T
    adjusted = np.diag(shares / np.sqrt(np.diag(covariance)))
    scores = adjusted @ maker @ values
    form = adjusted @ covariance @ adjusted.T
    freedom = np.trace(form) ** 2 / np.trace(form @ form)
    return math.sqrt(scores @ scores), freedom


CHANCE = np.random.default_rng(5)
MANY = CHANCE.normal(0.05, 0.2, 60)
TRAFFIC = np.round(10 * np.exp(CHANCE.normal(0, 0.7, 60))) + 1


class TestInference:
    """Intervals, tests and verdicts of weighted means, held against formulas written out."""

    def test_a_column_is_estimated_by_the_robust_error(self):
        """Student's part of the interval is the mean and so many standard errors."""
        sampling = Sampling(weights=scaled(TRAFFIC.tolist()))
        sample = Column(MANY, sampling=sampling).sample
        error, freedom = robust(MANY, TRAFFIC)
        mean = np.average(MANY, weights=TRAFFIC)
        assert sample.mean == pytest.approx(mean)
        assert sample.standard_error == pytest.approx(error)
        assert sample.degrees_of_freedom == pytest.approx(freedom)
        interval = sample.interval(skewness=0.0)
        assert interval.low == pytest.approx(mean + scipy_stats.t.ppf(0.025, freedom) * error)
        [alone] = estimate_family([Column(MANY, sampling=sampling)], sampling=sampling)
        assert (alone.interval, alone.p_value) == (sample.interval(), sample.p_value())

    def test_families_are_weighted(self):
        """Several columns, of which one is a slice: as `simultaneous_intervals` has it."""
        sampling = Sampling(weights=scaled(TRAFFIC.tolist()))
        rows = list(range(5, 55))
        columns = [
            Column(MANY, sampling=sampling),
            Column(-MANY[rows], rows, sampling=sampling.take(rows)),
        ]
        found = estimate_family(columns, sampling=sampling)
        present = np.ones((60, 2), dtype=bool)
        present[:, 1] = False
        present[rows, 1] = True
        values = np.column_stack([MANY, np.where(present[:, 1], -MANY, 0.0)])
        expected = simultaneous_intervals(values, present=present, weights=TRAFFIC)
        for estimate, member in zip(found, expected, strict=True):
            assert estimate.interval.low == pytest.approx(member.interval.low)
            assert estimate.p_value == member.p_value

    def test_heavy_queries_decide(self):
        """A candidate that loses where people ask fails, and passes where nobody does."""
        before = [3] * 120
        after = [2] * 60 + [4] * 60
        asked = [9] * 60 + [1] * 60
        heavy_lose = gate(compared(before, after, asked), margin=0.05)
        heavy_win = gate(compared(before, after, asked[::-1]), margin=0.05)
        assert (heavy_lose.verdict, heavy_win.verdict) == ("fail", "pass")
        assert gate(compared(before, after, ()), margin=0.1).verdict == "pass"

    def test_groups_and_weights_go_together(self):
        """A gate tests weighted means of groups."""
        queries = [
            Query(q, q, weight=1 + number % 5, group=f"g{number // 3}")
            for number, q in enumerate(ids(120))
        ]
        before, after = [3] * 120, [4, 3, 2, 4] * 30
        runs = {"baseline": ranked(before), "candidate": ranked(after)}
        found = compare(judged(120), runs, "P@5", queries=queries)
        [difference] = found.differences
        expected = mean_of(
            difference.values,
            weights=[query.weight for query in queries],
            groups=[query.group for query in queries],
        )
        assert difference.interval.low == pytest.approx(expected.interval().low)
        assert difference.p_value == pytest.approx(expected.p_value())

    def test_a_relative_margin_follows_the_weighted_baseline(self):
        """The tested differences keep the mean difference that is shown."""
        before, after = [5, 3, 4, 2] * 15, [4, 3, 5, 2] * 15
        weights = [8, 1, 2, 1] * 15
        result = gate(compared(before, after, weights), [MarginGuard(P5, Margin.parse("20%"))])
        found = only(result)
        assert found.limit == pytest.approx(-0.2 * found.means[0])
        assert found.interval.low < found.value < found.interval.high

    def test_two_lost_queries_weigh_as_much_as_a_typical_search(self):
        """A pass has to stand two more queries of the mean weight of what is asked."""
        sample = mean_of(MANY, weights=TRAFFIC)
        n = effective_number(TRAFFIC.tolist())
        expected = (n * sample.mean - 2 * 1.0) / (n + 2)
        assert sample.mean_after_losses(1.0) == pytest.approx(expected)


class TestFewChanges:
    """Too few changes to test: with weights, their number does not say how much they matter."""

    BEFORE, AFTER = [3] * 400, [2] * 3 + [3] * 397

    def test_few_changes_do_not_pass_by_their_number(self):
        """Three of 400 queries rule a drop out only if all count equally."""
        weights = [50] * 3 + [1] * 397
        plain = gate(compared(self.BEFORE, self.AFTER, ()), margin=0.05)
        found = gate(compared(self.BEFORE, self.AFTER, weights), margin=0.05)
        assert (plain.verdict, found.verdict) == ("pass", "inconclusive")
        assert "3 of 400 queries changed, by their weights worth 3.0" in found.sentence

    def test_unchanged_rankings_pass(self):
        """That is no matter of testing."""
        weights = [50] * 3 + [1] * 397
        assert gate(compared(self.BEFORE, self.BEFORE, weights), margin=0.01).verdict == "pass"

    def test_changes_have_to_be_worth_ten(self):
        """Twelve changed queries of which one has nearly all the weight are about one."""
        before, after = [3] * 60, [4] * 12 + [3] * 48
        [plain] = compared(before, after, ()).differences
        found = compared(before, after, [300] + [1] * 59)
        [difference] = found.differences
        assert plain.finding == "better"
        assert (difference.finding, difference.interval) == ("untested", None)
        assert difference.reason == "fewer than 10 queries of equal weight changed"
        assert "only 12 of 60 queries changed, by their weights worth 1.1." in found.sentence
        decided = only(gate(found, margin=0.05))
        assert decided.verdict == "inconclusive"
        assert "12 of 60 queries changed, by their weights worth 1.1, and a difference is" in (
            decided.reason
        )

    def test_a_heavy_query_that_did_not_change_leaves_nothing_to_learn(self):
        """Even with all the weight there is, which has no spread at all."""
        before, after = [3] * 60, [4] * 30 + [3] * 30
        for heaviest in (1e4, 1e30):
            found = compared(before, after, [1] * 59 + [heaviest])
            assert found.differences[0].reason == "fewer than 10 queries of equal weight changed"
            assert gate(found, margin=0.5).verdict == "inconclusive"

    def test_groups_have_to_be_worth_twenty(self):
        """Thirty groups of which one has nearly all the weight are about one."""
        queries = [
            Query(q, q, weight=1000 if number < 4 else 1, group=f"g{number // 4}")
            for number, q in enumerate(ids(120))
        ]
        runs = {"baseline": ranked([3] * 120), "candidate": ranked([4, 2, 3, 4] * 30)}
        [difference] = compare(judged(120), runs, "P@5", queries=queries).differences
        assert difference.reason == "fewer than 20 groups of equal weight"

    def test_a_small_set_is_small_by_what_it_is_worth(self):
        """Ninety queries that are worth fewer than fifty."""
        before, after = [3] * 90, [4, 3] * 45
        found = gate(compared(before, after, [9, 1, 1] * 30), margin=0.2)
        assert found.verdict == "pass"
        assert "Small set: below 50 queries of equal weight" in found.sentence


class TestPower:
    """How many queries it takes, if the weights of others differ as much."""

    def test_unequal_weights_need_more_queries(self):
        """About as many times more as the effective number is smaller."""
        before = [3] * 200
        after = [4, 2, 3, 4, 2] * 40
        plain, found = (
            sensitivity(
                judged(200),
                ranked(before),
                "P@5",
                against=ranked(after),
                queries=weighted(weights),
                margins=[0.05],
            )[0]
            for weights in ([1] * 200, [1, 4, 4, 4, 9, 1, 9, 1, 4, 1] * 20)
        )
        assert plain.effective_queries is None
        ratio = 200 / found.effective_queries
        assert ratio > 1.5
        [(_, needed)], [(_, needed_plain)] = found.spreads[0].needed, plain.spreads[0].needed
        assert needed == pytest.approx(ratio * needed_plain, rel=0.25)
        assert json.loads(power_to_json([found]))["measures"][0]["effective_queries"]
        assert "assume that other weights differ as much" in power_to_text([found])

    def test_what_is_assumed_is_weighted(self):
        """The spread of the scores of one run, too."""
        hits = [5, 0, 3, 1] * 10
        [found] = sensitivity(judged(40), ranked(hits), "P@5", queries=weighted([9, 1, 1, 1] * 10))
        values = np.array(hits) / 5
        error, _ = robust(values, [9, 1, 1, 1] * 10)
        [low, *_] = found.spreads
        assert low.sd == pytest.approx(error * math.sqrt(40))

    def test_more_queries_have_to_change(self):
        """As many as are worth ten, and few changes are never enough."""
        values = np.array([0.1] * 20 + [0.0] * 40)
        weights = [9.0] * 5 + [1.0] * 55
        column = Column(values, sampling=Sampling(weights=scaled(weights)))
        found = detection_in([column], margin=0.05, loss=1.0, score_range=1.0)
        worth = (45 + 15) ** 2 / (5 * 81 + 15)
        assert column.worth_changed == pytest.approx(worth)
        assert found.fewest_changed == math.ceil(10 * 20 / worth)
        assert found.loss == pytest.approx(60 / column.sampling.effective_queries)
        assert found.has_few_changes


class TestTraffic:
    """Head, torso and tail: about a third of the traffic each, the most asked queries first."""

    @pytest.mark.parametrize(
        ("weights", "expected"),
        [
            ((1, 2, 3), "tail torso head"),  # before them are 5, 3 and 0 of 6
            ((9, 1, 1, 1), "head tail tail tail"),
            ((5, 5, 5, 1, 1, 1, 1, 1), "head head torso tail tail tail tail tail"),
            ((0.1, 0.1, 0.1 + 1e-16), "torso tail head"),
        ],
    )
    def test_a_query_is_where_those_asked_more_often_end(self, weights, expected):
        """Of queries that are asked equally often, the smaller id comes first."""
        found = parts_of_traffic(by_id(weighted(weights)))
        assert " ".join(found[query_id] for query_id in ids(len(weights))) == expected

    def test_slices_of_traffic_are_there_if_weights_are(self):
        """In evaluations, comparisons and gates; the head is shown first."""
        before, after = [3] * 120, [4, 2, 3, 4] * 30
        weights = [30] * 12 + [6] * 48 + [1] * 60
        found = compared(before, after, weights, slices=["traffic"])
        parts = [difference.slice.value for difference in found.sliced]
        assert parts == ["head", "torso", "tail"]
        assert found.sliced[0].n_queries == 8  # before the ninth are 240 of 708
        evaluation = found.evaluations["candidate"]
        assert [*evaluation.by("traffic")] == parts
        assert [str(part) for part in find_all_slices(found.queries, found.query_ids)] == [
            f"traffic={part}" for part in parts
        ]
        guard = MarginGuard(P5, Margin.parse(0.2), slices=("traffic",))
        assert [one.slice and one.slice.value for one in gate(found, [guard]).guards] == [
            None, *parts
        ]  # fmt: skip

    def test_slices_do_not_depend_on_what_is_scored(self):
        """A query that is in the head of the traffic is there in every run."""
        known = by_id(weighted((50, 30, 20, 5)))
        whole = find_slices(known, "traffic", ids(4))
        some = find_slices(known, "traffic", ids(4)[2:])
        assert {part.value for part in whole} == {"head", "torso", "tail"}
        assert {part.value for part in some} == {"tail"}

    def test_queries_that_count_equally_have_no_traffic(self):
        """The error says what is missing."""
        with pytest.raises(MismatchError, match="weights that differ: all count equally"):
            evaluated((1, 2), (3, 3)).by("traffic")
        assert find_all_slices(by_id(weighted((3, 3))), ids(2)) == {}
