"""Tests, intervals and power of weighted means."""

import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from berryeval import MismatchError, Query, compare, gate
from berryeval.evaluation.deciding import Column, estimate_family
from berryeval.evaluation.detection import detection_in
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.evaluation.power import sensitivity
from berryeval.evaluation.sampling import Sampling
from berryeval.evaluation.slices import find_all_slices, find_slices
from berryeval.evaluation.weighting import (
    effective_number,
    parts_of_traffic,
    scaled,
)
from berryeval.reports.layout import tables_to_text
from berryeval.reports.power import power_tables, power_to_json
from berryeval.stats import mean_of, simultaneous_intervals
from evaluation.gating_cases import ids, judged, only, ranked
from evaluation.weighted_queries import P5, by_id, compared, evaluated, weighted


def robust(values, weights):
    """Return the standard error and degrees of freedom of a weighted mean, with explicit matrices.

    CR2 with each query a cluster, under a working model of equal variances; Satterthwaite's
    degrees of freedom under the same model.
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
    """Intervals, tests and verdicts of weighted means, compared with explicit formulas."""

    def test_a_column_is_estimated_by_the_robust_error(self):
        """Student's interval is the mean and a multiple of the standard error."""
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
        """Several columns, one of them a slice, match `simultaneous_intervals`."""
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
        """A candidate that loses on frequent queries fails, and passes on rare ones."""
        before = [3] * 120
        after = [2] * 60 + [4] * 60
        asked = [9] * 60 + [1] * 60
        heavy_lose = gate(compared(before, after, asked), margin=0.05)
        heavy_win = gate(compared(before, after, asked[::-1]), margin=0.05)
        assert (heavy_lose.verdict, heavy_win.verdict) == ("fail", "pass")
        assert gate(compared(before, after, ()), margin=0.1).verdict == "pass"

    def test_groups_and_weights_can_be_combined(self):
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

    def test_a_relative_margin_uses_the_weighted_baseline(self):
        """The tested differences have the reported mean."""
        before, after = [5, 3, 4, 2] * 15, [4, 3, 5, 2] * 15
        weights = [8, 1, 2, 1] * 15
        result = gate(compared(before, after, weights), [MarginGuard(P5, Margin.parse("20%"))])
        found = only(result)
        assert found.limit == pytest.approx(-0.2 * found.means[0])
        assert found.interval.low < found.value < found.interval.high

    def test_two_lost_queries_have_the_weight_of_a_typical_search(self):
        """A pass must withstand them."""
        sample = mean_of(MANY, weights=TRAFFIC)
        n = effective_number(TRAFFIC.tolist())
        expected = (n * sample.mean - 2 * 1.0) / (n + 2)
        assert sample.mean_after_losses(1.0) == pytest.approx(expected)


class TestFewChanges:
    """Too few changes to test: with weights, their number does not show their importance."""

    BEFORE, AFTER = [3] * 400, [2] * 3 + [3] * 397

    def test_few_changes_do_not_pass_by_their_number(self):
        """Three of 400 queries rule out a drop only if all count equally."""
        weights = [50] * 3 + [1] * 397
        plain = gate(compared(self.BEFORE, self.AFTER, ()), margin=0.05)
        found = gate(compared(self.BEFORE, self.AFTER, weights), margin=0.05)
        assert (plain.verdict, found.verdict) == ("pass", "inconclusive")
        assert "3 of 400 queries changed, worth 3.0 of equal weight" in found.sentence

    def test_unchanged_rankings_pass(self):
        """No test is needed."""
        weights = [50] * 3 + [1] * 397
        assert gate(compared(self.BEFORE, self.BEFORE, weights), margin=0.01).verdict == "pass"

    def test_changes_must_be_worth_ten_queries(self):
        """Twelve changes, one with nearly all the weight, are worth about one."""
        before, after = [3] * 60, [4] * 12 + [3] * 48
        [plain] = compared(before, after, ()).differences
        found = compared(before, after, [300] + [1] * 59)
        [difference] = found.differences
        assert plain.finding == "better"
        assert (difference.finding, difference.interval) == ("untested", None)
        assert difference.reason == "fewer than 10 queries of equal weight changed"
        assert "only 12 of 60 queries changed, worth 1.1 of equal weight." in found.sentence
        decided = only(gate(found, margin=0.05))
        assert decided.verdict == "inconclusive"
        assert "12 of 60 queries changed, worth 1.1 of equal weight, and a difference is" in (
            decided.reason
        )

    def test_an_unchanged_heavy_query_gives_no_information(self):
        """It has all the weight but no spread."""
        before, after = [3] * 60, [4] * 30 + [3] * 30
        for heaviest in (1e4, 1e30):
            found = compared(before, after, [1] * 59 + [heaviest])
            assert found.differences[0].reason == "fewer than 10 queries of equal weight changed"
            assert gate(found, margin=0.5).verdict == "inconclusive"

    def test_groups_must_be_worth_twenty(self):
        """Thirty groups, one with nearly all the weight, are worth about one."""
        queries = [
            Query(q, q, weight=1000 if number < 4 else 1, group=f"g{number // 4}")
            for number, q in enumerate(ids(120))
        ]
        runs = {"baseline": ranked([3] * 120), "candidate": ranked([4, 2, 3, 4] * 30)}
        [difference] = compare(judged(120), runs, "P@5", queries=queries).differences
        assert difference.reason == "fewer than 20 groups of equal weight"

    def test_a_small_set_is_measured_by_its_effective_number(self):
        """Ninety queries may be worth fewer than fifty."""
        before, after = [3] * 90, [4, 3] * 45
        found = gate(compared(before, after, [9, 1, 1] * 30), margin=0.2)
        assert found.verdict == "pass"
        assert "Small set: below 50 queries of equal weight" in found.sentence


class TestPower:
    """The number of queries needed if further weights vary as much."""

    def test_unequal_weights_need_more_queries(self):
        """The factor is about that of the effective number."""
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
        assert "assume that other weights differ as much" in tables_to_text(power_tables([found]))

    def test_assumed_spreads_are_weighted(self):
        """This applies to the scores of one run."""
        hits = [5, 0, 3, 1] * 10
        [found] = sensitivity(judged(40), ranked(hits), "P@5", queries=weighted([9, 1, 1, 1] * 10))
        values = np.array(hits) / 5
        error, _ = robust(values, [9, 1, 1, 1] * 10)
        [low, *_] = found.spreads
        assert low.sd == pytest.approx(error * math.sqrt(40))

    def test_more_queries_must_change(self):
        """Changes must be worth ten, and few are never enough."""
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
    """Head, torso and tail: about a third of the traffic each, most frequent queries first."""

    @pytest.mark.parametrize(
        ("weights", "expected"),
        [
            ((1, 2, 3), "tail torso head"),  # 5, 3 and 0 of 6 come before them
            ((9, 1, 1, 1), "head tail tail tail"),
            ((5, 5, 5, 1, 1, 1, 1, 1), "head head torso tail tail tail tail tail"),
            ((0.1, 0.1, 0.1 + 1e-16), "torso tail head"),
        ],
    )
    def test_traffic_slices_follow_cumulative_traffic(self, weights, expected):
        """Ties are broken by the smaller id."""
        found = parts_of_traffic(by_id(weighted(weights)))
        assert " ".join(found[query_id] for query_id in ids(len(weights))) == expected

    def test_traffic_slices_require_weights(self):
        """Evaluations, comparisons and gates show the head first."""
        before, after = [3] * 120, [4, 2, 3, 4] * 30
        weights = [30] * 12 + [6] * 48 + [1] * 60
        found = compared(before, after, weights, slices=["traffic"])
        parts = [difference.slice.value for difference in found.sliced]
        assert parts == ["head", "torso", "tail"]
        assert found.sliced[0].n_queries == 8  # 240 of 708 come before the ninth
        evaluation = found.evaluations["candidate"]
        assert [*evaluation.by("traffic")] == parts
        assert [str(part) for part in find_all_slices(found.queries, found.query_ids)] == [
            f"traffic={part}" for part in parts
        ]
        guard = MarginGuard(P5, Margin.parse(0.2), slices=("traffic",))
        assert [one.slice and one.slice.value for one in gate(found, [guard]).guards] == [
            None, *parts
        ]  # fmt: skip

    def test_traffic_slices_do_not_depend_on_the_run(self):
        """A query in the head is there in every run."""
        known = by_id(weighted((50, 30, 20, 5)))
        whole = find_slices(known, "traffic", ids(4))
        some = find_slices(known, "traffic", ids(4)[2:])
        assert {part.value for part in whole} == {"head", "torso", "tail"}
        assert {part.value for part in some} == {"tail"}

    def test_equal_weights_have_no_traffic_slices(self):
        """The error names what is missing."""
        with pytest.raises(MismatchError, match="weights that differ: all count equally"):
            evaluated((1, 2), (3, 3)).by("traffic")
        assert find_all_slices(by_id(weighted((3, 3))), ids(2)) == {}
