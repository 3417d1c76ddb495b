"""Comparisons and gates based on people's judgments and on a model's."""

import json

import numpy as np
import pytest

import berryeval as be
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.evaluation import Margin, MarginGuard
from berryeval.evaluation.label_draw import CHOSEN
from berryeval.measures import NDCG
from berryeval.stats import powered_mean

N = 300


def judged_set(seed=0, n_queries=N, n_labelled=80, error=0.15, gain=0.0):
    """Return people's and a model's judgments, two runs, and the draw of labelled queries."""
    random = np.random.default_rng(seed)
    people, model, old, new = {}, {}, {}, {}
    for number in range(n_queries):
        query = f"q{number:03}"
        relevance = random.choice(3, 12, p=(0.5, 0.3, 0.2))
        ids = [f"d{i}" for i in range(12)]
        people[query] = dict(zip(ids, relevance.tolist(), strict=True))
        is_wrong = random.random(12) < error
        guess = np.where(is_wrong, random.choice(3, 12), relevance)
        model[query] = dict(zip(ids, guess.tolist(), strict=True))
        for run, quality in ((old, 0.6), (new, 0.6 + gain)):
            scores = quality * relevance + random.normal(0, 1, 12)
            run[query] = dict(zip(ids, scores.tolist(), strict=True))
    draw = be.draw_labels(people, n_labelled)
    by_people = {query: people[query] for query in draw.labelled}
    return people, by_people, be.ModelJudgments(model, draw), {"old": old, "new": new}


@pytest.fixture(scope="module")
def judged():
    """A judged set for all tests that do not change it."""
    return judged_set()


def test_differences_rest_on_both(judged):
    """The mean and its error are those of the statistics, from the scores of both."""
    _, by_people, model, runs = judged
    found = be.compare(by_people, runs, "nDCG@5", model=model).difference("new", "nDCG@5")
    of_people, of_model = (
        [be.evaluate(grades, runs[name], "nDCG@5")["nDCG@5"].by_query for name in ("old", "new")]
        for grades in (by_people, model.grades)
    )
    ids = sorted(of_model[0])
    y = [of_people[1][q] - of_people[0][q] if q in by_people else np.nan for q in ids]
    f = [of_model[1][q] - of_model[0][q] for q in ids]
    expected = powered_mean(y, f)
    assert found.mean == pytest.approx(expected.sample.mean)
    interval = expected.sample.interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    assert found.candidate_mean - found.baseline_mean == pytest.approx(found.mean)
    assert found.rests_on.weight == pytest.approx(expected.weight)
    assert (found.rests_on.n_people, found.rests_on.n_model) == (80 * 12, N * 12)
    assert (found.cohens_dz, found.rank_biserial) == (None, None)


def test_intervals_are_narrower_than_from_labels_alone(judged):
    """They contain the result that people's judgments of all queries would give."""
    people, by_people, model, runs = judged
    together = be.compare(by_people, runs, "nDCG@5", model=model).difference("new", "nDCG@5")
    alone = be.compare(by_people, runs, "nDCG@5").difference("new", "nDCG@5")
    truth = be.compare(people, runs, "nDCG@5").difference("new", "nDCG@5").mean
    widths = [one.interval.high - one.interval.low for one in (together, alone)]
    assert widths[0] < 0.8 * widths[1]
    assert together.interval.contains(truth)


def test_means_are_corrected_everywhere(judged):
    """Means of runs are consistent with differences, and are not those of the model's grades."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, ["nDCG@5", "P@5"], model=model)
    for measure in ("nDCG@5", "P@5"):
        difference = comparison.difference("new", measure)
        old, new = (comparison.evaluations[name][measure] for name in ("old", "new"))
        assert (old.mean, new.mean) == pytest.approx(
            (difference.baseline_mean, difference.candidate_mean)
        )
        naive = be.evaluate(model.grades, runs["old"], measure)[measure].mean
        assert abs(old.mean - naive) > 0.002
        assert old.interval.contains(old.mean)


def test_a_comparison_says_what_it_rests_on(judged):
    """Headline, notes, JSON and Markdown state its basis."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, ["nDCG@5", "P@5"], model=model)
    reported = "Rests on 960 human and 3,600 model judgments."
    assert reported in comparison.sentence
    assert reported in comparison.notes
    shape = comparison.to_dict()
    assert shape["differences"][0]["rests_on"]["n_labelled"] == 80
    from berryeval.reports.markdown import comparison_to_markdown

    assert reported in comparison_to_markdown(comparison)


def test_several_measures_are_tested_by_bonferroni(judged):
    """The intervals of the other measures hold simultaneously: each has a share of the error."""
    _, by_people, model, runs = judged
    three = be.compare(by_people, runs, ["nDCG@5", "P@5", "RR"], model=model)
    two = be.compare(by_people, runs, ["nDCG@5", "P@5"], model=model)
    wide, narrow = (one.difference("new", "P@5") for one in (three, two))
    assert wide.interval.level == narrow.interval.level == 0.95
    assert wide.interval.low < narrow.interval.low
    assert wide.p_value == pytest.approx(min(1.0, 2 * narrow.p_value))


def test_a_gate_says_what_it_rests_on(judged):
    """Sentence, guard and JSON name human and model judgments, and the interval decides."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, "nDCG@5", model=model)
    result = be.gate(comparison, margin=0.15)
    assert result.verdict == "pass"
    assert "Rests on 960 human and 3,600 model judgments." in result.sentence
    [guard] = result.guards
    difference = comparison.difference("new", "nDCG@5")
    assert guard.value == pytest.approx(difference.mean)
    assert guard.n_units == 80
    assert guard.means == pytest.approx((difference.baseline_mean, difference.candidate_mean))
    assert result.to_dict()["rests_on"]["n_model"] == 3600
    close = be.gate(comparison, margin=0.02)
    assert close.verdict == "inconclusive"
    assert "labelled queries" in close.sentence


def test_a_relative_margin_is_a_share_of_the_corrected_baseline(judged):
    """The share refers to the corrected mean of the baseline."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, "nDCG@5", model=model)
    [guard] = be.gate(comparison, margin="20%").guards
    before = comparison.difference("new", "nDCG@5").baseline_mean
    assert guard.limit == pytest.approx(-0.2 * before)
    [absolute] = be.gate(comparison, margin=0.2 * before).guards
    assert guard.value == pytest.approx(absolute.value, abs=0.002)
    assert guard.p_pass != absolute.p_pass


def test_a_set_has_only_the_error_of_labelling(judged):
    """If only these queries matter, the verdict is still a test, because of unlabelled ones."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, "nDCG@5", model=model)
    [of_set] = be.gate(comparison, margin=0.15, inference="set").guards
    [of_many] = be.gate(comparison, margin=0.15).guards
    assert of_set.p_pass < of_many.p_pass
    assert of_set.interval.high - of_set.interval.low < of_many.interval.high - of_many.interval.low
    assert "is ruled out" in of_set.reason


@pytest.mark.parametrize(
    ("at_least", "verdict"), [(0.3, "pass"), (0.95, "fail"), (None, "inconclusive")]
)
def test_a_threshold_is_decided_by_the_interval(judged, at_least, verdict):
    """The mean is an estimate, even of this set."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, "nDCG@5", model=model)
    mean = comparison.evaluations["new"]["nDCG@5"].mean
    result = be.gate(comparison, at_least={"nDCG@5": at_least or mean + 0.005})
    assert result.verdict == verdict
    if at_least is None:
        assert "but may be as high as" in result.sentence
        assert be.gate(comparison, at_least={"nDCG@5": mean - 0.005}).verdict == "inconclusive"


def test_a_model_that_is_always_right_does_not_count():
    """With fewer than ten differences, only people's labels decide, and the headline says so."""
    _, by_people, model, runs = judged_set(error=0.0)
    found = be.compare(by_people, runs, "nDCG@5", model=model)
    alone = be.compare(by_people, runs, "nDCG@5").difference("new", "nDCG@5")
    difference = found.difference("new", "nDCG@5")
    assert difference.mean == pytest.approx(alone.mean)
    assert difference.interval.low == pytest.approx(alone.interval.low)
    assert (
        "Rests on 960 human judgments; 3,600 model judgments do not count: people and model differ "
        "on 0 of the labelled queries; at least 10 are needed." in found.sentence
    )


def test_slices_have_corrections_of_their_own():
    """Labels that were drawn by category can be sliced by it; other slices are rejected."""
    people, by_people, model, runs = judged_set()
    queries = [
        be.Query(query, "text", category="easy" if number % 2 else "hard")
        for number, query in enumerate(people)
    ]
    strata = {query.query_id: query.category for query in queries}
    draw = be.draw_labels(people, 60, strata=strata)
    by_people = {query: people[query] for query in draw.labelled}
    found = be.compare(
        by_people,
        runs,
        "nDCG@5",
        model=be.ModelJudgments(model.grades, draw),
        queries=queries,
        slices=["category"],
    )
    assert [one.rests_on.n_labelled for one in found.sliced] == [30, 30]
    few = be.draw_labels(people, 12)
    with pytest.raises(ArgumentError, match="at least 10 labelled queries per stratum"):
        be.compare(
            {query: people[query] for query in few.labelled},
            runs,
            "nDCG@5",
            model=be.ModelJudgments(model.grades, few),
            queries=queries,
            slices=["category"],
        )


def test_weights_count_for_people_and_model(judged):
    """Equal weights change nothing; a weight moves the mean towards its query."""
    people, by_people, model, runs = judged
    plain = be.compare(by_people, runs, "nDCG@5", model=model).difference("new", "nDCG@5")
    equal = [be.Query(query, "text", weight=2.0) for query in people]
    same = be.compare(by_people, runs, "nDCG@5", model=model, queries=equal)
    assert same.difference("new", "nDCG@5").mean == pytest.approx(plain.mean)
    gains = plain.labelled.model
    heavy = [
        be.Query(query, "text", weight=3.0 if gain > 0 else 1.0)
        for query, gain in zip(sorted(people), gains.tolist(), strict=True)
    ]
    moved = be.compare(by_people, runs, "nDCG@5", model=model, queries=heavy)
    assert moved.difference("new", "nDCG@5").mean > plain.mean + 0.02


def test_groups_are_labelled_as_a_whole():
    """Groups of two queries are the units; a partly labelled group is rejected."""
    people, _, model, runs = judged_set()
    ids = sorted(people)
    groups = {query: f"g{place // 2}" for place, query in enumerate(ids)}
    queries = [be.Query(query, "text", group=groups[query]) for query in ids]
    drawn = {query for place, query in enumerate(ids) if place // 2 % 3 == 0}
    draw = be.LabelDraw(dict.fromkeys(ids, "all"), drawn)
    by_people = {query: people[query] for query in drawn}
    labelled = be.ModelJudgments(model.grades, draw)
    found = be.compare(by_people, runs, "nDCG@5", model=labelled, queries=queries)
    difference = found.difference("new", "nDCG@5")
    assert difference.labelled.powered(difference.sampling).n_labelled == 50
    partly = be.LabelDraw(draw.strata, drawn - {ids[0]})
    by_people = {query: people[query] for query in partly.labelled}
    with pytest.raises(ArgumentError, match="a part of group 'g0'"):
        be.compare(
            by_people,
            runs,
            "nDCG@5",
            model=be.ModelJudgments(model.grades, partly),
            queries=queries,
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bounds": True}, "bounds: expected none with model judgments, got True"),
        ({"tests": ["sign"]}, "tests: expected none with model judgments"),
        ({"risk": [1.0]}, "risk: expected none with model judgments"),
        ({"no_relevant": "skip"}, "no_relevant: expected none with model judgments"),
    ],
)
def test_what_would_take_the_model_for_people_is_refused(judged, change, message):
    """Tests of single queries, bounds and risks cannot be corrected, and are rejected."""
    _, by_people, model, runs = judged
    with pytest.raises(ArgumentError, match=message):
        be.compare(by_people, runs, "nDCG@5", model=model, **change)


def test_people_do_not_choose_what_they_label(judged):
    """A drawn query without judgments is an error, and so is one that the model lacks."""
    _, by_people, model, runs = judged
    first, *rest = sorted(by_people)
    with pytest.raises(MismatchError, match=rf"1 query \({first}\) drawn for labelling not judged"):
        be.compare({query: by_people[query] for query in rest}, runs, "nDCG@5", model=model)
    grades = {query: own for query, own in model.grades.items() if query != "q007"}
    with pytest.raises(MismatchError, match=r"model judgments: 1 query \(q007\) of the draw"):
        be.compare(by_people, runs, "nDCG@5", model=be.ModelJudgments(grades, model.draw))


def test_an_equivalence_rests_on_both(judged):
    """Both a drop and a rise of the margin are ruled out."""
    _, by_people, model, runs = judged
    comparison = be.compare(by_people, runs, "nDCG@5", model=model)
    guard = MarginGuard(NDCG(5), Margin.parse(0.15), is_equivalence=True)
    [found] = be.gate(comparison, [guard]).guards
    assert found.verdict == "pass"


def test_a_rise_is_a_harm_where_lower_is_better(judged):
    """More irrelevant documents are worse, by people's grades and by the model's."""
    _, by_people, model, runs = judged
    measure = "NumNonrelJudgedRet@5"
    lengths = {f"d{i}": 100.0 for i in range(12)}
    both = be.compare(by_people, runs, [measure, "tokens@3"], model=model, lengths=lengths)
    difference = both.difference("new", measure)
    [guard] = be.gate(both, margin={measure: 2.0}).guards
    assert guard.verdict == "pass"
    assert guard.value == pytest.approx(difference.mean)
    assert guard.limit == pytest.approx(2.0)
    assert guard.interval.contains(guard.value)


def test_a_draw_is_random_by_stratum_and_repeatable(tmp_path):
    """A seed gives the same queries, a larger draw contains a smaller one, and files keep all."""
    ids = [f"q{i}" for i in range(100)]
    strata = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in ids}
    draw = be.draw_labels(ids, 40, strata=strata, chosen=["q1", "q3"], seed=3)
    assert draw == be.draw_labels(reversed(ids), 40, strata=strata, chosen=["q1", "q3"], seed=3)
    assert draw != be.draw_labels(ids, 40, strata=strata, chosen=["q1", "q3"], seed=4)
    assert (
        draw.labelled < be.draw_labels(ids, 60, strata=strata, chosen=["q1", "q3"], seed=3).labelled
    )
    assert len(draw.labelled) == 42
    assert draw.strata["q1"] == CHOSEN
    assert draw.probabilities["q1"] == 1.0
    assert draw.probabilities["q0"] == pytest.approx(0.4, abs=0.02)
    path = tmp_path / "draw.json"
    draw.save(path)
    assert be.LabelDraw.read(path) == draw
    assert json.loads(path.read_text())["queries"]["q1"]["is_labelled"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected a label draw, found other content"),
        ("{", "expected a label draw, found other content"),
        ('{"kind": "label draw", "version": 2, "queries": {}}', "expected version 1 of a label"),
        ('{"kind": "label draw", "version": 1, "queries": {}}', "expected at least one query"),
        (
            '{"kind": "label draw", "version": 1, "queries": {"q1": {"stratum": 3}}}',
            "expected stratum of 'q1', found 3",
        ),
        (
            '{"kind": "label draw", "version": 1, "queries": {"q1": []}}',
            "expected stratum of 'q1', found None",
        ),
    ],
)
def test_a_file_that_is_no_draw_is_named(tmp_path, content, message):
    """The message has its path, what was expected and what was found."""
    path = tmp_path / "draw.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        be.LabelDraw.read(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chosen": ["x"]}, "chosen: expected known queries, got 'x'"),
        ({"strata": {"q1": "a"}}, "strata: expected a stratum of 'q0', got none"),
        ({"strata": {"q0": CHOSEN}}, "strata: expected a stratum of 'q0', got 'chosen'"),
    ],
)
def test_a_bad_draw_is_named(arguments, message):
    """Every query has a stratum, and chosen ones are known."""
    with pytest.raises(ArgumentError, match=message):
        be.draw_labels([f"q{i}" for i in range(20)], 10, **arguments)


def test_a_draw_of_nothing_is_refused():
    """There must be queries, which include the labelled ones."""
    with pytest.raises(ArgumentError, match="strata: expected at least one query, got none"):
        be.LabelDraw({}, frozenset())
    with pytest.raises(ArgumentError, match="labelled: expected queries that have a stratum"):
        be.LabelDraw({"q1": "a"}, frozenset({"q2"}))
