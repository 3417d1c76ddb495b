"""Comparisons of candidates with a baseline."""

import numpy as np
import pytest
from scipy import stats

from berryeval import ArgumentError, InputTypeError, MismatchError, Query, compare, evaluate, gate
from berryeval.evaluation.comparing import compare_evaluations
from berryeval.stats import mean_of, simultaneous_intervals

DEPTHS = (0, 1, 2, 0, 3, 1, 0, 2)
JUDGMENTS = {f"q{i}": {"d": 1} for i in range(8)}
BEFORE = {f"q{i}": [f"x{j}" for j in range(depth)] + ["d"] for i, depth in enumerate(DEPTHS)}
AFTER = {**BEFORE, "q1": ["d"], "q2": ["x0", "d"], "q3": ["x0", "d"], "q4": ["x0", "x1", "d"]}
QUERIES = [Query(f"q{i}", f"text {i}", category="odd" if i % 2 else "even") for i in range(8)]

# The same eight queries four times, so sixteen of them change.
MANY = {f"{copy}{q}": grades for copy in "abcd" for q, grades in JUDGMENTS.items()}
MANY_BEFORE, MANY_AFTER = (
    {f"{copy}{q}": ranking for copy in "abcd" for q, ranking in run.items()}
    for run in (BEFORE, AFTER)
)
MANY_RUNS = {"before": MANY_BEFORE, "after": MANY_AFTER}
MANY_QUERIES = [
    Query(f"{copy}{q.query_id}", q.text, category="ab" if copy in "ab" else "cd",
          difficulty="easy" if q.query_id in ("q1", "q2", "q3") else "hard")
    for copy in "abcd" for q in QUERIES
]  # fmt: skip


def differences():
    return np.array([0, 0.5, 1 / 2 - 1 / 3, -0.5, 1 / 3 - 1 / 4, 0, 0, 0])


def comparison(**settings):
    return compare(JUDGMENTS, {"before": BEFORE, "after": AFTER}, ["RR", "P@1"], **settings)


def test_systems_have_the_means_of_evaluate():
    """E3: they are compared at the same k."""
    found = comparison()
    assert (found.baseline, found.candidates) == ("before", ("after",))
    for name, run in (("before", BEFORE), ("after", AFTER)):
        assert (
            found.evaluations[name].to_dict() == evaluate(JUDGMENTS, run, ["RR", "P@1"]).to_dict()
        )


def test_a_difference_has_all_its_figures():
    """Mean, wins, ties, losses, interval, p-value and effect sizes follow their formulas."""
    d = compare(MANY, MANY_RUNS, "RR").difference("after", "recip_rank")
    expected = np.tile(differences(), 4)
    assert d.values == pytest.approx(expected)
    assert d.mean == pytest.approx(expected.mean())
    assert (d.wins, d.ties, d.losses, d.n_queries) == (12, 16, 4, 32)
    assert d.p_value == pytest.approx(mean_of(expected).p_value())
    assert d.p_value >= stats.ttest_1samp(expected, 0).pvalue
    assert d.cohens_dz == pytest.approx(expected.mean() / expected.std(ddof=1))
    student = stats.ttest_1samp(expected, 0).confidence_interval(0.95)
    assert d.interval.low <= student.low < d.mean < student.high <= d.interval.high + 1e-12
    assert d.candidate_mean - d.baseline_mean == pytest.approx(d.mean)


def test_slices_do_not_change_the_overall_result():
    """They are separate families, so they never make the result less certain."""
    found = compare(MANY, MANY_RUNS, ["RR", "P@1"], queries=MANY_QUERIES, slices=["difficulty"])
    plain = compare(MANY, MANY_RUNS, ["RR", "P@1"])
    assert [d.finding for d in found.sliced] == ["unclear", "untested"] + ["untested"] * 2
    for with_slices, without in zip(found.differences, plain.differences, strict=True):
        assert (with_slices.interval, with_slices.p_value) == (without.interval, without.p_value)


def test_the_lead_measure_is_tested_alone():
    """Its interval and p-value are those of a comparison with only this measure."""
    alone = compare(MANY, MANY_RUNS, "RR").differences[0]
    leading = compare(MANY, MANY_RUNS, ["RR", "P@1", "AP", "nDCG@3"]).differences[0]
    assert alone.interval is not None
    assert (leading.interval, leading.p_value) == (alone.interval, alone.p_value)


def test_other_measures_are_one_family():
    """Their intervals are simultaneous: single-step max-t by the signs of whole queries."""
    found = compare(MANY, MANY_RUNS, ["P@1", "RR", "nDCG@3"], n_resamples=900, seed=2)
    columns = [found.difference("after", name).values for name in ("RR", "nDCG@3")]
    family = simultaneous_intervals(np.column_stack(columns), n_flips=900, seed=2)
    assert [(d.interval, d.p_value) for d in found.differences[1:]] == [
        (member.interval, member.p_value) for member in family
    ]


def test_several_candidates_are_one_family():
    """Two candidates are two chances of a false finding."""
    other = {q: ["d"] if i % 2 else MANY_BEFORE[q] for i, q in enumerate(MANY)}
    found = compare(MANY, {**MANY_RUNS, "other": other}, "RR", n_resamples=900)
    columns = [d.values for d in found.differences]
    family = simultaneous_intervals(np.column_stack(columns), n_flips=900)
    assert [d.interval for d in found.differences] == [member.interval for member in family]
    alone = compare(MANY, MANY_RUNS, "RR").differences[0]
    assert found.differences[0].interval.low < alone.interval.low
    assert found.differences[0].p_value > alone.p_value


def test_the_result_of_a_slice_does_not_depend_on_other_tests():
    """Its family is one measure and one label."""
    one = compare(MANY, MANY_RUNS, "RR", queries=MANY_QUERIES, slices=["difficulty"])
    many = compare(
        MANY, MANY_RUNS, ["P@1", "RR"], queries=MANY_QUERIES, slices=["category", "difficulty"]
    )
    assert one.sliced[0].interval is not None
    for d in one.sliced:
        [same] = [o for o in many.sliced if (o.slice, o.measure) == (d.slice, d.measure)]
        assert (same.interval, same.p_value, same.finding) == (d.interval, d.p_value, d.finding)


def test_slices_are_compared_like_separate_sets():
    """They have the differences of their queries, in the same order."""
    found = comparison(queries=QUERIES, slices=["category"])
    odd = next(d for d in found.sliced if str(d.slice) == "category=odd" and str(d.measure) == "RR")
    assert odd.values == pytest.approx(differences()[1::2])


def test_changed_queries_are_listed_worst_first():
    """Known texts are shown."""
    changes = comparison(queries=QUERIES).changes("after", "RR")
    assert [change.query_id for change in changes[:1] + changes[-1:]] == ["q3", "q1"]
    assert (changes[0].baseline, changes[0].candidate, changes[0].text) == (1.0, 0.5, "text 3")
    assert comparison().changes("after", "RR")[0].text is None


def test_every_query_has_its_outcome():
    """It is better, equal or worse, by the same differences as wins, ties and losses."""
    found = comparison()
    outcomes = [change.outcome for change in found.changes("after", "RR")]
    assert outcomes == ["worse", *["equal"] * 4, *["better"] * 3]
    lower = compare(JUDGMENTS, {"a": BEFORE, "b": AFTER}, "Unjudged@1")
    [fallen] = [c for c in lower.changes("b", "Unjudged@1") if c.outcome == "better"]
    assert fallen.difference < 0
    assert lower.gains("b", "Unjudged@1").tolist() == [0, 1, 0, -1, 0, 0, 0, 0]


def test_the_queries_that_changed_most_are_losses_and_gains():
    """There are as many of each, or more of one if the other is rare, and never a tie."""
    found = comparison()
    changes = found.changes("after", "RR")
    assert found.changed_most("after", "RR", 1) == [changes[0], changes[-1]]
    assert found.changed_most("after", "RR", 2) == [changes[0], *changes[-3:]]
    assert found.changed_most("after", "RR", 9) == [changes[0], *changes[-3:]]


def test_an_interval_of_a_geometric_mean_ends_where_the_measure_does():
    """The interval of its logarithms may exceed any number, but the mean ends at 1."""
    judgments = {f"q{i:02}": {"d": 1} for i in range(10)}
    before = {q: ["x"] if i % 2 else ["d"] for i, q in enumerate(judgments)}
    after = {q: ["d"] if i % 2 else ["x", "d"] for i, q in enumerate(judgments)}
    [found] = compare(judgments, {"a": before, "b": after}, "GMAP").differences
    assert found.interval.low < found.mean < found.interval.high
    assert found.interval.high == pytest.approx(1 - found.baseline_mean)
    assert found.finding == "better"
    assert gate(compare(judgments, {"a": before, "b": after}, "GMAP"), margin=0.001).guards


def test_if_lower_is_better_a_fall_is_a_win():
    """Fewer unjudged documents at the first rank are better."""
    found = compare(JUDGMENTS, {"a": BEFORE, "b": AFTER}, "Unjudged@1").difference(
        "b", "Unjudged@1"
    )
    assert (found.wins, found.losses) == (1, 1)


def test_a_rounding_difference_is_a_tie():
    """The same terms may be summed in two orders."""
    judgments = {"q": {f"d{i}": i % 3 + 1 for i in range(9)}}
    run = {"q": {f"d{i}": 9 - i for i in range(9)}}
    other = {"q": {f"d{i}": 9 - i + 1e-9 for i in range(9)}}
    assert compare(judgments, {"a": run, "b": other}, "nDCG").differences[0].ties == 1


def test_undefined_statistics_have_a_reason():
    """One query, or no difference, gives None, never NaN."""
    one = compare({"q1": {"d": 1}}, {"a": BEFORE, "b": AFTER}, "RR").differences[0]
    assert (one.interval, one.p_value, one.cohens_dz) == (None,) * 3
    assert one.reason == "fewer than 10 queries changed"
    same = compare(JUDGMENTS, {"a": BEFORE, "b": dict(BEFORE)}, "RR").differences[0]
    assert (same.interval, same.p_value, same.cohens_dz, same.rank_biserial) == (None,) * 4
    assert same.reason == "fewer than 10 queries changed"
    assert (same.is_same, same.finding) == (True, "untested")


def test_below_ten_changed_queries_nothing_is_tested():
    """Nine gains are too few to estimate how others would vary."""
    judgments = {f"q{i:02}": {"d": 1} for i in range(30)}
    before = {q: ["x", "d"] for q in judgments}
    for n_better, finding in ((9, "untested"), (10, "better")):
        after = {q: ["d"] if i < n_better else before[q] for i, q in enumerate(judgments)}
        [found] = compare(judgments, {"a": before, "b": after}, "RR").differences
        assert found.finding == finding
        assert (found.interval is None) == (found.p_value is None) == (finding == "untested")


def test_additional_tests_do_not_affect_the_result():
    """Each is reported once, and interval, p-value and finding stay the same."""
    names = ["t", "wilcoxon", "sign", "randomisation", "sign"]
    found = compare(MANY, MANY_RUNS, "RR", tests=names, n_resamples=500).differences[0]
    assert [test.test for test in found.tests] == names[:4]
    before, after = ([1 / len(run[q]) for q in MANY] for run in MANY_RUNS.values())
    assert found.tests[0].p_value == pytest.approx(stats.ttest_rel(after, before).pvalue)
    assert all(0 < test.p_value <= 1 for test in found.tests)
    plain = compare(MANY, MANY_RUNS, "RR").differences[0]
    assert (found.interval, found.p_value) == (plain.interval, plain.p_value)


def test_missing_queries_do_not_decide_the_winner():
    """The headline is based on the queries that both runs have."""
    judgments = {f"q{i:02}": {"d": 1} for i in range(30)}
    before = {q: ["d"] if i % 3 else ["x", "d"] for i, q in enumerate(judgments)}
    lacking = {q: before[q] for q in list(before)[12:]}
    found = compare(judgments, {"a": lacking, "b": before}, "RR")
    assert found.differences[0].finding == "better"
    assert [d.n_queries for d in found.common] == [18]
    assert found.deciding()[0].finding == "untested"
    assert found.deciding()[0].is_same
    assert found.deciding(found.lead) == found.common
    assert compare(judgments, {"a": before, "b": before}, "RR").common == ()


def test_missing_queries_can_be_left_out_everywhere():
    """Pairs require both scores."""
    shorter = {query: ranking for query, ranking in AFTER.items() if query != "q0"}
    found = compare(JUDGMENTS, {"a": BEFORE, "b": shorter}, "RR", missing="skip")
    assert found.query_ids == [f"q{i}" for i in range(1, 8)]
    assert found.difference("b", "RR").values == pytest.approx(differences()[1:])
    for name, mean in (("a", "baseline_mean"), ("b", "candidate_mean")):
        shown = found.evaluations[name]["RR"].mean
        assert shown == pytest.approx(getattr(found.difference("b", "RR"), mean))
    assert found.notes[0] == "8 queries judged, 7 scored: those scored for every run."
    assert found.common == ()
    parts = {"a": {"q0": ["d"], "q1": ["d"]}, "b": {"q0": ["d"]}, "c": {"q1": ["d"]}}
    with pytest.raises(MismatchError, match="no query is scored for all runs: a, b, c"):
        compare(JUDGMENTS, parts, "RR", missing="skip")


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_runs_without_common_queries_are_rejected(missing):
    """Each would score 0 where the other has documents."""
    halves = {"a": {"q0": ["d"], "x": ["d"]}, "b": {"q1": ["d"], "x": ["d"]}}
    with pytest.raises(MismatchError, match="a and b have no judged query in common"):
        compare(JUDGMENTS, halves, "RR", missing=missing)


def test_sums_are_labelled_as_such():
    """Their differences are means, and thus of another size."""
    found = compare(JUDGMENTS, {"before": BEFORE, "after": AFTER}, ["RR", "NumRelRet"])
    [note] = [note for note in found.notes if "sum" in note]
    assert note == "Totals of NumRelRet are sums over queries; differences are means."
    assert not any("sum" in note for note in comparison().notes)


def test_a_geometric_mean_is_compared_by_logarithms_and_reported_as_is():
    """Means, difference, interval and changes match `evaluate`."""
    found = compare(MANY, MANY_RUNS, "GMAP")
    d = found.difference("after", "GMAP")
    before, after = (found.evaluations[name]["GMAP"].mean for name in ("before", "after"))
    assert (d.baseline_mean, d.candidate_mean) == pytest.approx((before, after))
    assert d.mean == pytest.approx(after - before)
    logs = np.log([1 / (1 + depth) for depth in DEPTHS])
    assert np.exp(logs.mean()) == pytest.approx(before)
    sample = mean_of(d.values)
    assert d.p_value == sample.p_value()
    for end in ("low", "high"):
        expected = before * np.exp(getattr(sample.interval(), end)) - before
        assert getattr(d.interval, end) == pytest.approx(expected)
    assert all(c.difference == c.candidate - c.baseline for c in found.changes("after", "GMAP"))


def test_bounds_contain_the_effects_of_all_grades_of_holes():
    """q3 fell because of an unjudged document, and would not have if it were relevant."""
    found = comparison(bounds=True, queries=QUERIES, slices=["category"])
    d = found.difference("after", "RR")
    assert d.bounds.low <= d.mean <= d.bounds.high
    low, high = d.extremes
    assert (low <= d.values).all()
    assert (d.values <= high).all()
    assert high[3] == 0.0
    odd = next(s for s in found.sliced if str(s.slice) == "category=odd" and s.measure == d.measure)
    assert odd.extremes[1].tolist() == high[1::2].tolist()
    assert comparison().difference("after", "RR").bounds is None


def test_measures_without_bounds_have_none():
    """bpref ignores unjudged documents, and a geometric mean is not a mean of scores."""
    runs = {"a": BEFORE, "b": AFTER}
    for name in ("Bpref", "GMAP"):
        assert compare(JUDGMENTS, runs, name, bounds=True).differences[0].bounds is None


def test_an_error_about_missing_queries_names_the_run():
    """It also has the number of queries."""
    judgments = {f"q{i}": {"d1": 1} for i in range(4)}
    whole, part = {q: ["d1"] for q in judgments}, {"q0": ["d1"], "q1": ["d1"]}
    message = "^b: query 'q2' and 1 more are judged but missing from the run$"
    with pytest.raises(MismatchError, match=message):
        compare(judgments, {"a": whole, "b": part}, "RR", missing="error")
    with pytest.raises(MismatchError, match=r"^c: judgments and run have no query in common"):
        compare(judgments, {"a": whole, "c": {"x": ["d1"]}}, "RR")


def test_the_cutoff_of_recall_on_shallow_runs_has_a_reason():
    """A default measure with another cutoff than usual is explained; a requested one is not."""
    runs = {"before": BEFORE, "after": AFTER}
    note = (
        "R@3 instead of the default R@100: 3 is the greatest depth (documents per query) that all "
        "runs share."
    )
    assert note in compare(JUDGMENTS, runs).notes
    assert not any("R@3" in one for one in compare(JUDGMENTS, runs, ["nDCG@10", "R@3"]).notes)
    deep = {name: dict(run, q0=[f"x{i}" for i in range(100)]) for name, run in runs.items()}
    assert not any("default" in one for one in compare(JUDGMENTS, deep).notes)


def test_runs_of_different_depth_are_compared_with_a_caution():
    """It appears if a measure looks deeper than the shallowest run."""
    deep = {query: [*ranking, *(f"z{i}" for i in range(20))] for query, ranking in AFTER.items()}
    notes = compare(JUDGMENTS, {"a": BEFORE, "b": deep}, "nDCG@10").notes
    assert "Caution: runs differ in depth (documents per query): a up to 4, b up to 23." in notes
    notes = compare(JUDGMENTS, {"a": BEFORE, "b": deep}, "nDCG@3").notes
    assert not any("depth" in note for note in notes)


def test_documents_are_placed_in_all_runs():
    """Top documents of any run are listed, in the order of the baseline, then of the candidates."""
    judgments = {"q": {"a": 2, "c": 0, "e": -1}}
    old = {"q": ["a", "b", "c", "d"]}
    new = {"q": ["d", "e", "a", "f"]}
    found = compare(judgments, {"old": old, "new": new}, "RR").placed_documents("q", 2, 4)
    assert [(one.doc_id, one.grade, one.ranks) for one in found] == [
        ("a", 2, (1, 3)),
        ("b", None, (2, 0)),
        ("d", None, (4, 1)),
        ("e", None, (0, 2)),
    ]
    shallow = compare(judgments, {"old": old, "new": new}, "RR").placed_documents("q", 2, 3)
    assert shallow[2].ranks == (0, 1)


def test_a_ranking_shows_grades_and_holes():
    """None and negative grades are holes."""
    found = compare({"q1": {"d": 2, "e": -1}}, {"a": {"q1": ["d", "e", "x"]}, "b": AFTER}, "RR")
    assert [(doc.rank, doc.doc_id, doc.grade) for doc in found.ranking("a", "q1")] == [
        (1, "d", 2.0),
        (2, "e", None),
        (3, "x", None),
    ]


def test_a_comparison_has_a_readable_repr():
    """It is useful in a REPL."""
    assert repr(comparison()) == (
        "<Comparison with before over 8 queries\n"
        "after: RR +0.0313, too few changes to decide\n"
        "after: P@1 0.0000, too few changes to decide>"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tests": ["guess"]}, "tests: expected 't' or 'wilcoxon' or 'sign' or 'randomisation'"),
        ({"level": 1.0}, "level: expected a number between 0 and 1, got 1.0"),
        ({"n_resamples": 1}, "n_resamples: expected a whole number from 100 to"),
        ({"baseline": "other"}, "baseline: expected the name of a run, 'before' or 'after'"),
    ],
)
def test_invalid_settings_are_errors(settings, message):
    """The message lists the valid ones."""
    with pytest.raises(ArgumentError, match=message):
        comparison(**settings)


def test_one_run_is_not_a_comparison():
    """At least two are required."""
    for runs, got in (([BEFORE, AFTER], "list"), ("old.run", "str")):
        with pytest.raises(InputTypeError, match=f"'old': old_run, .* got {got}"):
            compare(JUDGMENTS, runs)
    with pytest.raises(InputTypeError, match="got dict; pass all runs as a mapping of names"):
        compare(JUDGMENTS, BEFORE, AFTER)
    with pytest.raises(ArgumentError, match="runs: expected at least two, got 1"):
        compare(JUDGMENTS, {"a": BEFORE}, "RR")


def test_an_unknown_difference_is_a_key_error():
    """The lookup behaves like a mapping."""
    with pytest.raises(KeyError):
        comparison().difference("after", "AP")


def test_existing_evaluations_give_the_same_comparison():
    """Scoring first and comparing then gives the same differences."""
    whole = comparison(slices=["category"], queries=QUERIES)
    found = compare_evaluations(
        whole.judgments,
        whole.runs,
        whole.evaluations,
        queries=whole.queries,
        slices=["category"],
    )
    assert found.baseline == "before"
    assert found.notes == whole.notes
    for one, other in zip(
        found.differences + found.sliced, whole.differences + whole.sliced, strict=True
    ):
        assert (one.mean, one.interval, one.p_value) == (other.mean, other.interval, other.p_value)
