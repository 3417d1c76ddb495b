"""The overview page: the verdict, the trend, the worst slices, and the holes."""

import pytest

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.reports.history import look_sentence
from berryeval.service.workbench.pages import overview
from berryeval.service.workbench.pages.overview import window_of
from berryeval.service.workbench.state.run_directory import RunDirectory
from berryeval.suite.archived_history import archived_entry
from berryeval.suite.history import History
from berryeval.suite.trends import trends
from service.workbench.html import HTML, get_page
from service.workbench.plants import fill, put, query_ids
from waiting import wait_until

GUARD = {"measure": "nDCG@10", "margin": 0.02}


@pytest.fixture
def runs(fill_once):
    return fill_once(fill)


def settled(client, address="/"):
    """Open the page and follow its polling until everything is computed."""

    def complete():
        page = get_page(client, address)
        polled = page.find(id="live").attributes.get("hx-get")
        if not polled:
            return page
        wait_until(lambda: client.get(polled, headers=HTML).status_code != 204)
        return None

    return wait_until(complete)


def words(page, title):
    """Return the text of the part of a page under a heading."""
    return page.find(aria_labelledby=title).text


def test_an_empty_archive_explains_how_to_start(client):
    """It has a button, and a command for scripts."""
    page = get_page(client, "/")
    assert "No runs yet" in page.text
    assert page.find("a", href="/import")
    assert "http://localhost:8765/v1/runs?name=bm25" in page.text
    assert "Start with the judgments" in page.text


def test_without_a_gate_the_newest_run_is_compared_with_the_baseline(archive, client, runs):
    """A sentence has the figures and the next step."""
    archive.baselines.put("main", runs["c0"])
    page = settled(client, "/?series=hybrid")
    verdict = words(page, "verdict-title")
    assert "hybrid is better than main: nDCG@10 rises from" in verdict
    assert "against main" in verdict
    links = [link["href"] for link in page.find(aria_labelledby="verdict-title").find_all("a")]
    assert f"/compare?a=main&b={runs['c3']}" in links
    assert "/gates/+new" in links
    assert f"/runs/{runs['c3']}" in links


@pytest.mark.usefixtures("runs")
def test_without_a_baseline_it_is_compared_with_the_previous_run(client):
    """A single run is not compared."""
    assert "the previous run" in words(settled(client, "/?series=hybrid"), "verdict-title")
    verdict = words(settled(client, "/?series=bm25"), "verdict-title")
    assert "bm25 has nDCG@10" in verdict
    assert "over 24 queries" in verdict


def test_gates_show_their_newest_verdict_on_the_newest_run(archive, client, runs):
    """Blocking verdicts come first, and gates without a verdict are listed."""
    for name in ("calm", "release", "waiting"):
        archive.gates.put(name, {"guards": [GUARD]})
    now = archive.judgments.hash()
    for gate, run, verdict, sentence in (
        ("release", "c3", "pass", "an older verdict"),
        ("release", "c3", "fail", "nDCG@10 fell by 0.05 & more"),
        ("calm", "c3", "pass", "all hold"),
        ("waiting", "c2", "fail", "another run"),
    ):
        archive.verdicts.put(
            gate=gate,
            run_id=runs[run],
            verdict=verdict,
            judgments_hash=now,
            report={"sentence": sentence},
        )
    page = settled(client, "/?series=hybrid")
    part = page.find(aria_labelledby="verdict-title")
    badges = [badge.text for badge in part.find_all("span", class_="badge")]
    assert badges == ["fail", "pass"]
    assert "nDCG@10 fell by 0.05 & more" in part.text
    assert "older verdict" not in part.text
    assert "waiting has no verdict on this run yet. Check now" in part.text
    assert part.find("form")["action"] == "/gates/waiting/verdicts"
    assert "earlier judgments" not in part.text
    archive.judgments.put([JudgmentEntry("q00", "hole", 2)], author="bob")
    assert "earlier judgments" in words(settled(client, "/?series=hybrid"), "verdict-title")


def test_the_trend_shows_every_run_with_a_link_and_a_table(client, runs):
    """The chart is oldest first, the table newest first."""
    page = settled(client, "/?series=hybrid&measure=RR")
    wide, narrow = page.find_all("svg", class_="trend")
    expected = [f"/runs/{runs[commit]}" for commit in ("c0", "c1", "c2", "c3")]
    for drawing in (wide, narrow):
        assert [link["href"] for link in drawing.find_all("a")] == expected
    assert "RR by run. 4 runs" in wide["aria-label"]
    newest = next(row for row in page.find_all("tr") if runs["c3"][:8] in row.text)
    assert "0.8333" in newest.text


@pytest.mark.usefixtures("runs")
def test_a_series_and_a_measure_can_be_chosen(client):
    """By default, they are the newest series and the first measure."""
    page = settled(client)
    chosen = [one.text for one in page.find_all("option") if "selected" in one.attributes]
    assert chosen == ["bm25 (1)", "nDCG@10"]
    page = settled(client, "/?series=hybrid&measure=RR")
    chosen = [one.text for one in page.find_all("option") if "selected" in one.attributes]
    assert chosen == ["hybrid (4)", "RR"]
    assert "RR of hybrid" in words(page, "trend-title")


@pytest.mark.parametrize("address", ["/?series=gone", "/?until=" + "0" * 64])
@pytest.mark.usefixtures("runs")
def test_a_missing_series_is_reported(client, address):
    """An old link may name a series that was removed."""
    assert "no " in get_page(client, address, status=404).find("main").text


@pytest.mark.usefixtures("runs")
def test_an_unavailable_measure_is_rejected_with_the_available_ones(client):
    """The service determines which ones are available."""
    assert "nDCG@10 or RR" in get_page(client, "/?measure=nDCG@3", status=422).text


def test_older_runs_are_a_link_away(archive, client, runs, monkeypatch):
    """The window moves by its whole width, and back."""
    monkeypatch.setattr(overview, "SHOWN", 2)
    page = settled(client, "/?series=hybrid")
    link = next(a for a in page.find_all("a") if a.text == "Older runs")
    older = settled(client, link["href"])
    shown = [a["href"] for a in older.find("svg", class_="trend").find_all("a")]
    assert shown == [f"/runs/{runs['c0']}", f"/runs/{runs['c1']}"]
    back = next(a for a in older.find_all("a") if a.text == "Newer runs")
    assert "until" not in back["href"]
    series = RunDirectory(archive).current().series["hybrid"]
    monkeypatch.setattr(overview, "SHOWN", 1)
    window = window_of(series, runs["c1"])
    assert (window.older, window.newer) == (runs["c0"], runs["c2"])


def test_the_worst_slices_come_first_and_small_ones_last(archive, client, runs):
    """They are compared with the baseline; a slice of three queries is marked as small."""
    archive.baselines.put("main", runs["c2"])
    part = settled(client, "/?series=hybrid").find(aria_labelledby="slices-title")
    rows = [row.find("th").text for row in part.find("tbody").find_all("tr")]
    assert rows[-1].startswith("tag rare")
    assert {row.split()[1] for row in rows[:2]} <= {"odd", "even", "rare"}
    assert "few queries" in rows[-1]


def test_without_labels_the_page_explains_slices(archive, client):
    """A hint is shown instead of an empty table."""
    archive.judgments.put([JudgmentEntry("q00", "good", 1)], author="ada")
    put(archive, "hybrid", 3, None)
    assert "No query has a category" in words(settled(client), "slices-title")


@pytest.mark.usefixtures("runs")
def test_the_meter_shows_the_judged_share_of_the_top_ten(archive, client):
    """6 of 54 documents are holes; when they are judged, none is left."""
    part = settled(client, "/?series=hybrid").find(aria_labelledby="holes-title")
    assert "89% of the newest run's top 10 is judged" in part.text
    assert "6 documents in the top 10 have no grade" in part.text
    assert part.find("a", href="/judge")
    archive.judgments.put([JudgmentEntry(q, "hole", 0) for q in query_ids()], author="bob")
    part = settled(client, "/?series=hybrid").find(aria_labelledby="holes-title")
    assert "100%" in part.text
    assert "Every document in the top 10 has a grade" in part.text


@pytest.mark.usefixtures("runs")
def test_without_a_gate_the_doubt_is_computed_as_on_compare(archive, client):
    """The page requests the bounds of the comparison with the reference, and claims nothing."""
    verdict = settled(client, "/?series=hybrid").find(class_="verdict-words")
    assert verdict.find(id="doubt").text == "Checking what unjudged documents could change…"
    [part] = verdict.find_all(hx_swap="delete")
    answer = get_page(client, part["hx-get"])
    assert answer.find(id="doubt").text == "Unjudged documents cannot change this verdict."
    archive.judgments.put([JudgmentEntry(q, "hole", 0) for q in query_ids()], author="bob")
    answer = get_page(client, part["hx-get"])
    assert answer.find(id="doubt").text.startswith("Every document that")


@pytest.mark.usefixtures("runs")
def test_the_previous_means_are_shown_while_new_judgments_are_counted(archive, client):
    """The page shows a note, polls, and then shows the new means."""
    before = settled(client, "/?series=hybrid")
    archive.judgments.put([JudgmentEntry(q, "hole", 2) for q in query_ids()], author="bob")
    meanwhile = get_page(client, "/?series=hybrid")
    live = meanwhile.find(id="live")
    answer = client.get(live["hx-get"], headers=HTML)
    assert (answer.status_code, answer.text) == (204, "")
    assert "24 newer judgments are being counted" in words(meanwhile, "trend-title")
    figure = before.find(class_="verdict-figure").text
    assert meanwhile.find(class_="verdict-figure").text == figure
    assert settled(client, "/?series=hybrid").find(class_="verdict-figure").text != figure


def test_a_run_that_cannot_be_scored_has_a_reason(archive, client):
    """There are no judgments, or the run has other queries."""
    archive.runs.put(Run.from_lists({"z": ["a"]}), RunFacts("other"))
    page = settled(client)
    verdict = page.find(aria_labelledby="verdict-title")
    assert "cannot be scored" in verdict.text
    assert verdict.find("a", href="/import?kind=judgments")
    assert not page.find_all("svg", class_="trend")
    assert "appears once the series has a second run" in words(page, "trend-title")
    archive.judgments.put([JudgmentEntry("q00", "good", 1)], author="ada")
    assert "no query in common" in words(settled(client), "verdict-title")


def test_before_any_judgment_there_is_a_next_step(archive, client):
    """Nothing is wrong with a run that nobody has judged."""
    archive.runs.put(Run.from_dict({"q1": {"d1": 1.0}}), RunFacts(name="first"))
    page = get_page(client, "/")
    assert "No document is judged yet. Import judgments, or judge" in page.find("main").text
    assert page.find("main").find("a", href="/judge").text == "Judge"


def test_without_a_baseline_two_systems_can_be_compared(archive, client):
    """The page of a comparison sets the baseline."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    for name in ("old", "new"):
        archive.runs.put(Run.from_dict({"q1": {"d1": 1.0, name: 2.0}}), RunFacts(name=name))
    link = settled(client).find("main").find("a", href="/compare")
    assert link.text == "Compare runs, and set a baseline"


def test_another_corpus_is_a_caution(archive, client, runs):
    """The difference may not be due to the system alone."""
    archive.baselines.put("main", runs["c0"])
    run = Run.from_lists({"q00": ["good"]})
    archive.runs.put(run, RunFacts("hybrid", corpus_hash="docs-2"))
    assert "searched different documents" in words(settled(client), "verdict-title")


def test_names_and_commits_are_shown_as_text(archive, client):
    """Markup in a name is escaped."""
    archive.judgments.put([JudgmentEntry("q00", "good", 1)], author="ada")
    name, commit = "<b>bold</b>\u202e", "<script>"
    archive.runs.put(Run.from_lists({"q00": ["good"]}), RunFacts(name, commit=commit))
    page = settled(client)
    assert page.find_all("b") == []
    assert name in page.text
    assert all(script.attributes.get("src") for script in page.find_all("script"))


@pytest.mark.parametrize("n_before", [6, 58])
def test_a_decline_of_the_series_raises_an_alarm(archive, client, n_before):
    """The words are those of `berryeval history --daily`; only 52 runs are read."""
    fill(archive)
    for number in range(n_before):
        put(archive, "nightly", 22 + number % 2, f"a{number}")
    for number in range(2):
        put(archive, "nightly", 4, f"b{number}")
    page = settled(client, "/?series=nightly")
    address = page.find(id="alarm")["hx-get"]
    assert address == "/alarm?series=nightly&measure=nDCG%4010"
    part = get_page(client, address)
    (message,) = part.find_all("p", class_="banner")
    judgments = archive.judgments.hash()
    points = archive.trend("nDCG@10", name="nightly", at=judgments)
    entries = tuple(archived_entry(archive, "nDCG@10", judgments, point) for point in points)
    (trend,) = trends(History("archive", entries), daily=True)
    (alarm,) = trend.declines
    assert message.text == look_sentence(alarm)
    assert message.text.startswith("Alarm at ")
    assert "(b0)" in message.text


def test_a_stable_series_shows_that_it_was_tested(archive, client):
    """The page states that there is no alarm; a single run is not tested."""
    fill(archive)
    calm = get_page(client, "/alarm?series=hybrid")
    assert calm.find_all("p", class_="banner") == []
    assert "No decline (p = " in calm.text
    assert get_page(client, "/alarm?series=bm25").find_all("p") == []
    assert client.get("/alarm?series=none", headers=HTML).status_code == 404


def test_an_alarm_in_memory_has_no_scores_of_queries(archive, client):
    """Scores of 52 runs take 40 MB, and each state of the judgments has its own alarm."""
    fill(archive)
    get_page(client, "/alarm?series=hybrid")
    state = client.app.state
    series = state.directory.current().series["hybrid"]
    looks = state.run_figures.alarms(series, state.scoring.measures[0], state.scoring.state())
    entries = [entry for look in looks for entry in look.entries]
    assert len(entries) >= 2
    assert [one for one in entries if one.scores or one.query_ids] == []


def test_only_the_newest_runs_have_an_alarm(archive, client, monkeypatch):
    """An older part of the trend has no current alarm."""
    monkeypatch.setattr(overview, "SHOWN", 2)
    runs = fill(archive)
    assert settled(client, "/?series=hybrid").find(id="alarm")
    older = settled(client, f"/?series=hybrid&until={runs['c1']}")
    assert older.find_all(id="alarm") == []


def test_all_series_stand_side_by_side(client, runs):
    """The newest run of each is listed, the best first; only a series of several runs is a line."""
    page = settled(client, "/?series=hybrid")
    rows = page.find(aria_labelledby="series-title").find("tbody").find_all("tr")
    names = [row.find("th").text for row in rows]
    means = [float(row.find_all("td")[2].text) for row in rows]
    assert set(names) == {"hybrid", "bm25"}
    assert means == sorted(means, reverse=True)
    links = [row.find("td").find("a")["href"] for row in rows]
    assert f"/runs/{runs['c3']}" in links
    assert not page.find(aria_labelledby="series-title").find_all("svg")


@pytest.mark.usefixtures("runs")
def test_trends_of_several_series_are_in_one_chart(archive, client):
    """Each is a line with its name; a chart without room for them has no commits."""
    archive.runs.put(Run.from_lists({"q00": ["good"]}), RunFacts("bm25", commit="c" * 8))
    part = settled(client, "/?series=hybrid").find(aria_labelledby="series-title")
    wide, _ = part.find_all("svg")
    assert {"hybrid", "bm25"} <= {one.text for one in wide.find_all("text")}
    assert len(wide.find_all("text", class_="code")) == 0


def test_one_series_needs_no_comparison(archive, client):
    """There is nothing to compare it with."""
    archive.judgments.put([JudgmentEntry("q00", "good", 1)], author="ada", source="file")
    archive.runs.put(Run.from_lists({"q00": ["good"]}), RunFacts("bm25"))
    assert "All series" not in get_page(client, "/").text


@pytest.mark.parametrize(("role", "is_offered"), [("judge", False), ("admin", True)])
def test_a_gate_is_offered_to_those_who_may_create_one(archive, service, runs, role, is_offered):
    """For a judge, it would only lead to an error."""
    headers = HTML | {"Authorization": f"Bearer {archive.tokens.create('ada', role)}"}
    client = service(is_token_required=True)
    for address in ("/?series=hybrid", f"/compare?a={runs['c0']}&b={runs['c1']}"):
        page = wait_until(lambda at=address: _when_ready(client.get(at, headers=headers)))
        assert ("/gates/+new" in page) is is_offered


def _when_ready(answer):
    return answer.text if answer.status_code == 200 else None
