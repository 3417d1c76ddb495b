"""The page Power: the drops that a golden set can detect, starting with a sentence."""

import numpy as np
import pytest
from starlette.datastructures import QueryParams

from berryeval import Query, Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.evaluation import sensitivity
from berryeval.evaluation.detection import Detection
from berryeval.service.workbench.pages.power import read_form, sentences
from service.workbench.html import HTML, get_page, parse

MEASURES = ["nDCG@10", "RR"]


@pytest.fixture
def runs(fill_once):
    """The ids of the runs."""
    return fill_once(fill)


def fill(archive):
    """Write sixty queries in two categories, a baseline, and a series of three different runs."""
    ids = [f"q{number:02}" for number in range(60)]
    archive.queries.put(
        [Query(one, one, category="often" if n % 4 else "seldom") for n, one in enumerate(ids)]
    )
    archive.judgments.put([JudgmentEntry(one, "a", 1) for one in ids], author="ada")
    stored = []
    for seed in range(4):
        places = np.random.default_rng(seed).integers(0, 5, len(ids))
        rankings = {one: [*"vwxyz"[:place], "a"] for one, place in zip(ids, places, strict=True)}
        stored.append(archive.runs.put(Run.from_lists(rankings), RunFacts("hybrid")))
    archive.baselines.put("main", stored[0].run_id)
    return [one.run_id for one in stored]


def shown(client, address="/power"):
    """Return the answer, whether it was part of the page or loaded later."""
    part = client.get(address, headers={"HX-Request": "true"})
    assert part.status_code == 200, part.text
    return parse(part.text)


@pytest.mark.parametrize(
    ("n_queries", "sd", "margin", "first", "second"),
    [
        (400, 0.1, 0.02, "These 400 queries can detect a drop of 0.013 in RR.", "you have enough."),
        (50, 0.1, 0.02, "These 50 queries can detect", "needs 168: you need 118 more queries."),
        (30, 0.1, 0.0509, "These 30 queries", "needs 31: you need 1 more query."),
        (1, 0.1, 0.02, "1 query: too few for an estimate.", "larger slice"),
        (50, 0.0, 0.02, "RR cannot be analysed", "Choose runs that differ."),
        (10_000, 0.01, 0.02, "can detect a drop of less than 0.001 in RR", "you have enough."),
    ],
)
def test_the_answer_is_a_sentence(n_queries, sd, margin, first, second):
    """It states the detectable drop, and what follows for the margin."""
    wish = read_form(QueryParams({"measure": "RR"}), MEASURES, "a", "b", "runs")
    printed = sentences(Detection(n_queries, sd, margin=margin), wish)
    assert first in printed[0]
    assert second in printed[1]


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("margin", "0", "a number from 1e-100 to 1e+100"),
        ("margin", "x", "found 'x'"),
        ("margin", "inf", "found 'inf'"),
        ("alpha", "1e-13", "a number of at least 1e-12"),
        ("alpha", "1", "a number between 0 and 1"),
        ("power", "1", "a number between 0 and 1"),
        ("measure", "P@99", "a measure of the workbench"),
    ],
)
def test_an_invalid_value_is_reported_next_to_its_field(field, text, message):
    """The default is used instead."""
    wish = read_form(QueryParams({field: text}), MEASURES, "a", "b", "runs")
    assert message in wish.messages[field]
    assert (wish.margin, wish.alpha, wish.power, wish.measure) == (0.02, 0.05, 0.8, "nDCG@10")
    assert wish.texts.get(field, text) == text


def test_the_default_is_the_newest_run_against_the_baseline(client, runs, archive):
    """It equals `berryeval power --against`; the page says that it is loading."""
    page = get_page(client, "/power")
    assert "Scoring the runs" in page.text
    part = shown(client)
    known = get_page(client, "/power")
    printed = known.find(class_="power-sentence").text
    assert printed == part.find(class_="power-sentence").text
    (power,) = sensitivity(
        archive.judgments.current(),
        archive.runs.load(runs[0]),
        "nDCG@10",
        against=archive.runs.load(runs[3]),
    )
    assert f"These 60 queries can detect a drop of {power.spreads[0].smallest_drop:.3f}" in printed
    assert "category: seldom" in known.find("select", id="slice").text
    assert "category: seldom" in part.find("select", id="slice").text


@pytest.mark.usefixtures("runs")
def test_a_slice_a_series_one_run_or_a_custom_spread_can_be_used(client):
    """The page names each source of the spread."""
    assert "These 15 queries" in shown(client, "/power?slice=category%3Dseldom").text
    series = shown(client, "/power?source=series").text
    assert "measured over the last 3 runs of hybrid" in series
    one = shown(client, "/power?source=assumed").text
    assert "a correlation of 0.7" in one
    given = shown(client, "/power?source=given&sd=0.1&margin=0.05").text
    assert "as entered" in given
    assert "A margin of 0.05 needs 50" in given
    assert "Smallest detectable drop per slice" not in given
    unknown = shown(client, "/power?source=guess&measure=RR")
    assert "measured between" in unknown.text


@pytest.mark.usefixtures("runs")
def test_slices_use_the_current_labels(client, archive):
    """Relabelled queries are in their new slice at once."""
    assert "These 15 queries" in shown(client, "/power?slice=category%3Dseldom").text
    archive.queries.put([Query("q00", "Another", category="new"), Query("q01", "", category="new")])
    assert "These 2 queries" in shown(client, "/power?slice=category%3Dnew").text


@pytest.mark.usefixtures("runs")
def test_an_alias_of_a_category_names_its_slice(client, archive):
    """M11: `troubleshooting` in an address is `troubleshoot`."""
    labels = {"q00": "troubleshooting", "q01": "troubleshoot"}
    archive.queries.put([Query(query_id, "", category=name) for query_id, name in labels.items()])
    for name in set(labels.values()):
        assert "These 2 queries" in shown(client, f"/power?slice=category%3D{name}").text


@pytest.mark.usefixtures("runs")
def test_a_missing_run_or_slice_is_reported_on_the_page(client):
    """The run was removed, or the slice has no queries."""
    gone = client.get(f"/power?b={'0' * 64}", headers=HTML)
    assert gone.status_code == 200
    assert "there is no run" in parse(gone.text).find(class_="banner").text
    assert "no query is in the slice" in shown(client, "/power?slice=category%3Dx").text


@pytest.mark.usefixtures("runs")
def test_few_changed_queries_cause_a_warning(client, archive):
    """A gate would not test them."""
    rankings = {f"q{number:02}": ["v", "a"] for number in range(60)}
    changed = {**rankings, "q00": ["a"], "q04": ["a"]}
    ids = [
        archive.runs.put(Run.from_lists(one), RunFacts("x")).run_id for one in (rankings, changed)
    ]
    part = shown(client, f"/power?a={ids[0]}&b={ids[1]}&margin=0.1")
    assert "only 2 of these queries differ" in part.find(class_="power-summary").text
    assert "2 differ: too few to test" in part.text
    assert "only" not in shown(client).find(class_="power-summary").text


def test_equal_runs_give_no_estimate(client, runs):
    """The page explains why, and shows no curve."""
    part = shown(client, f"/power?a=main&b={runs[0]}")
    assert "cannot be analysed" in part.text
    assert "No curve without a spread" in part.text


def test_one_run_is_enough_for_an_assumption(client, archive):
    """The first run has no baseline; without any run, the page explains what to do."""
    assert "No runs yet" in get_page(client, "/power").text
    ids = [f"q{number}" for number in range(20)]
    archive.judgments.put([JudgmentEntry(one, "a", 1) for one in ids], author="ada")
    rankings = {one: ["x"] * (n % 2) + ["a"] for n, one in enumerate(ids)}
    archive.runs.put(Run.from_lists(rankings), RunFacts("only"))
    assert "a correlation of 0.7" in shown(client).text


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    "asked",
    [
        "margin=0.00000001",
        "margin=1e-200",
        "margin=1e300",
        "alpha=1e-17",
        "alpha=5e-324",
        "power=0.99999999999999999",
        "source=given&sd=1e308",
        "source=given&sd=5e-324&margin=5e-324",
        "source=given&sd=1e300&margin=1e-300",
        "source=given&sd=1e-100&margin=1e100",
        "source=given&sd=1e100&margin=1e-100&alpha=1e-12",
    ],
)
def test_extreme_numbers_are_answered(client, asked):
    """The search for the number of queries ends, and no number overflows."""
    answer = client.get(f"/power?{asked}", headers={"Accept": "text/html", "HX-Request": "true"})
    assert answer.status_code == 200
    assert "Smallest detectable drop" in answer.text
