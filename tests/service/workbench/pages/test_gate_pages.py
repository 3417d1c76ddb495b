"""Gate pages: edited by one user at a time, replayed before saving, decided permanently."""

import re
import threading

import pytest

from berryeval import Query, Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.evaluation.gate_rules import RULES
from berryeval.reports.markdown import gate_to_markdown
from berryeval.service.jobs import JobCancelled
from berryeval.service.verdicts import decide_at_present, decide_on
from berryeval.service.workbench.pages.gates import verdicts
from service.workbench.html import HTML, get_page, parse
from waiting import wait_until

N_QUERIES = 30
GATE = {
    "baseline": "main",
    "guards": [{"measure": "nDCG@10", "margin": 0.1}, {"measure": "RR", "at_least": 0.2}],
}


@pytest.fixture
def runs(fill_once):
    """The ids of the runs."""
    return fill_once(fill)


def fill(archive):
    """Write a baseline, an equal run and a worse one; the gate ``release``."""
    ids = [f"q{number:02}" for number in range(N_QUERIES)]
    archive.queries.put(
        [Query(one, f"about {one}", category="ab"[i % 2]) for i, one in enumerate(ids)]
    )
    archive.judgments.put(
        [
            JudgmentEntry(one, doc, grade)
            for one in ids
            for doc, grade in (("a", 2), ("b", 1), ("c", 0))
        ],
        author="ada",
    )
    good = {one: ["a", "b", "c"] if i % 3 else ["a", "c", "b"] for i, one in enumerate(ids)}
    same = {one: ["a", "b", "c", "x"] if i % 2 else ["a", "c", "b"] for i, one in enumerate(ids)}
    worse = {one: ["x", "c", "b", "a"] if i % 7 else ["c", "b"] for i, one in enumerate(ids)}
    stored = [
        archive.runs.put(Run.from_lists(run), RunFacts("hybrid", commit=f"{n}" * 40))
        for n, run in enumerate((good, same, worse))
    ]
    archive.baselines.put("main", stored[0].run_id)
    archive.gates.put("release", GATE)
    return [one.run_id for one in stored]


def fields(page):
    """Return the fields that a browser would post from the form of a gate."""
    form = page.find("form", id="gate-form")
    found = {
        one["name"]: one.attributes.get("value", "")
        for one in form.find_all("input")
        if one.attributes.get("type") != "checkbox" or "checked" in one.attributes
    }
    for select in form.find_all("select"):
        chosen = [one for one in select.find_all("option") if "selected" in one.attributes]
        found[select["name"]] = (chosen or select.find_all("option"))[0]["value"]
    return found


def finished(client, address):
    """Request a page until its replay is finished."""

    def complete():
        page = get_page(client, address)
        return None if page.find_all(class_="waiting") else page

    return wait_until(complete)


def test_the_sentence_of_a_verdict_has_real_minus_signs(client, runs):
    """As in the table below it."""
    client.post("/gates/release/verdicts", data={"run": runs[1]}, headers=HTML)
    page = get_page(client, "/gates/release/verdicts/1")
    assert not re.search(r"(?<!\w)-\d", page.find(class_="verdict-sentence").text)


def test_a_verdict_states_its_look(client, runs, archive):
    """It has the level of alpha, and the number of queries."""
    path = "/gates/release/verdicts"
    client.post(path, data={"run": runs[1]}, headers=HTML)
    facts = get_page(client, f"{path}/1").find(class_="facts").text
    assert (
        "check 1 of these runs on this set, at significance level 0.025; 1 pair of runs compared"
        in facts
    )
    archive.gates.put("release", {**GATE, "n_max": N_QUERIES})
    client.post(path, data={"run": runs[2]}, headers=HTML)
    facts = get_page(client, f"{path}/2").find(class_="facts").text
    assert (
        "check 1 of these runs on this set (30 of 30 queries), at significance level 0.05; "
        "2 pairs of runs compared on it so far" in facts
    )


def test_a_better_candidate_can_be_made_the_baseline(client, runs, archive):
    """The page has a button instead of a command."""
    archive.gates.put("release", {**GATE, "baseline": runs[2]})
    client.post("/gates/release/verdicts", data={"run": runs[0]}, headers=HTML)
    report = archive.verdicts.get(1).report
    assert report["suggested_command"] == "berryeval baseline update"
    card = get_page(client, "/gates/release/verdicts/1").find(class_="verdict-card")
    assert "consider making it the baseline." in card.text
    assert "berryeval baseline update" not in card.text
    assert card.find("a", href=f"/compare?a={runs[2]}&b={runs[0]}#decide")


def test_the_list_shows_the_latest_verdict_of_each_gate(client, runs, archive):
    """A gate links to its latest verdict, or shows that it has none."""
    archive.gates.put("release", {**GATE, "n_max": N_QUERIES})
    page = get_page(client, "/gates")
    assert "no verdict yet" in page.text
    assert "nDCG@10 drops by less than 0.1" in page.text
    client.post("/gates/release/verdicts", data={"run": runs[2]}, headers=HTML)
    page = get_page(client, "/gates")
    link = page.find("a", class_="verdict-link")
    assert (link["href"], link.text) == ("/gates/release/verdicts/1", "fail")
    assert "fell by" in page.find(class_="conclusion").text


def test_without_a_gate_the_list_explains_how_to_start(client, service, archive):
    """Admins get a link to create one; others see the required role."""
    assert get_page(client, "/gates").find("a", href="/gates/+new")
    token = archive.tokens.create("eve", "read")
    guarded = service(is_token_required=True)
    answer = guarded.get("/gates", headers={**HTML, "Authorization": f"Bearer {token}"})
    assert "your role is read" in parse(answer.text).find("main").text
    refused = guarded.get("/gates/+new", headers={**HTML, "Authorization": f"Bearer {token}"})
    assert refused.status_code == 403


def test_invalid_settings_are_reported(client, archive):
    """An archive may contain settings of an older version."""
    archive.gates.put("old", {"guards": [{"measure": "gone@3", "at_least": 1}]})
    assert "settings are invalid" in get_page(client, "/gates").text
    page = get_page(client, "/gates/old")
    assert "unknown measure" in page.find(class_="wrong").text
    assert fields(page)["guard-0-measure"] == "gone@3"


@pytest.mark.usefixtures("runs")
def test_the_latest_runs_are_replayed_oldest_first(client):
    """Each verdict has its word and links to its reasons."""
    page = finished(client, "/gates/release")
    cells = page.find(class_="strip").find_all("a")
    assert [cell.find(class_="word").text for cell in cells] == ["pass", "pass", "fail"]
    assert "2 pass, 1 fails" in page.find(class_="strip-summary").text
    reasons = get_page(client, cells[2]["href"])
    assert "Replay" in reasons.find("h1").text
    assert reasons.find(class_="badge").text == "fail"
    assert "fell by" in reasons.find("table").text
    assert "Saved no: this is a replay" in reasons.text


def test_one_series_or_all_runs_are_replayed(client, runs, archive):
    """The default is the series of the baseline, since its runs may replace it."""
    archive.runs.put(Run.from_lists({"q00": ["c"]}), RunFacts("bm25"))
    page = finished(client, "/gates/release")
    assert "Of the last 3 runs of hybrid" in page.find(class_="strip-summary").text
    assert fields(page)["series"] == "hybrid"
    offered = page.find("form", action="/gates/release/verdicts").find("input")
    assert offered["value"] == runs[2], "not the newest of all"
    for series, message in (("", "Of the last 4 runs:"), ("bm25", "Of the last run of bm25")):
        posted = {**fields(page), "series": series, "do": "replay"}
        part = client.post("/gates/release", data=posted, headers={"HX-Request": "true"})
        assert message in parse(part.text).find(class_="strip-summary").text
    key = re.search(r"of=([0-9a-f]+)", page.find(class_="cell")["href"])[1]
    again = client.get(f"/gates/release/replay?of={key}&series=bm25", headers=HTML)
    assert "of bm25" in parse(again.text).find(class_="strip-summary").text


@pytest.mark.usefixtures("runs")
def test_guards_are_replayed_before_they_are_saved(client, archive):
    """The strip shows what would change, and the lines for berryeval.toml follow."""
    page = finished(client, "/gates/release")
    posted = {**fields(page), "guard-0-limit": "0.9", "guard-1-limit": "0.01", "do": "replay"}

    def complete():
        answer = client.post("/gates/release", data=posted, headers={"HX-Request": "true"})
        part = parse(answer.text)
        is_waiting = part.find_all(class_="waiting")
        return (
            part if not is_waiting and "change" in part.find(class_="strip-before").text else None
        )

    part = wait_until(complete)
    assert "not saved" in part.find(class_="strip-summary").text
    assert "3 pass" in part.find(class_="strip-summary").text
    before = part.find(class_="strip-before").text
    assert before == "With the saved guards: 2 pass, 1 fails. 1 verdict changes."
    assert part.find(class_="is-changed").find(class_="was").text == "was fail"
    assert "margin = 0.9" in part.find("pre").text
    assert archive.gates.get("release").settings == GATE
    key = re.search(r"of=([0-9a-f]+)", part.find(class_="cell")["href"])[1]
    again = client.get(f"/gates/release/replay?of={key}", headers={"HX-Request": "true"})
    assert "3 pass" in again.text


@pytest.mark.usefixtures("runs")
def test_a_replay_follows_judgments_and_labels(client, archive):
    """Changing a grade or a category recomputes the verdicts."""
    finished(client, "/gates/release")
    for change in (
        lambda: archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="bob"),
        lambda: archive.queries.put([Query("q00", "about q00", category="other")]),
    ):
        assert not get_page(client, "/gates/release").find_all(class_="waiting")
        change()
        assert get_page(client, "/gates/release").find_all(class_="waiting")
        finished(client, "/gates/release")


@pytest.mark.usefixtures("runs")
def test_invalid_guards_are_not_replayed(client):
    """The strip shows the reason, and keeps its size."""
    posted = {**fields(get_page(client, "/gates/release")), "guard-0-limit": "x", "do": "replay"}
    part = parse(client.post("/gates/release", data=posted, headers={"HX-Request": "true"}).text)
    assert "guard 1: expected a number above 0" in part.find(class_="strip-summary").text
    assert part.find(class_="strip")


def test_an_expired_replay_is_reported(client, runs):
    """After a restart, an old replay is a 404 with an explanation."""
    part = client.get("/gates/release/replay?of=0123", headers={"HX-Request": "true"})
    assert "restarted" in part.text
    gone = client.get(f"/gates/release/replay/{runs[0]}?of=0123", headers=HTML)
    assert gone.status_code == 404
    assert "no longer available" in gone.text


@pytest.mark.usefixtures("runs")
def test_a_missing_baseline_is_reported(client, archive):
    """The replay explains that it is missing, and the form keeps its name."""
    archive.baselines.remove("main")
    page = get_page(client, "/gates/release")
    assert "there is no run or baseline 'main'" in page.find(class_="strip-summary").text
    assert fields(page)["baseline"] == "main"


@pytest.mark.usefixtures("runs")
def test_a_gate_is_saved_as_it_was_typed(client, archive):
    """The page confirms it."""
    posted = {
        **fields(get_page(client, "/gates/release")),
        "guard-0-limit": "5%",
        "guard-0-slices": "category",
        "alpha": "0.1",
    }
    answer = client.post("/gates/release", data=posted, headers=HTML, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/gates/release?saved")
    kept = archive.gates.get("release").settings
    assert kept["guards"][0] == {"measure": "nDCG@10", "margin": "5%", "slices": ["category"]}
    assert kept["alpha"] == 0.1
    assert "Saved." in get_page(client, "/gates/release?saved").find(class_="banner").text


@pytest.mark.usefixtures("runs")
def test_an_invalid_form_is_returned_with_its_messages(client, archive):
    """Messages are next to their fields, and no input is lost."""
    posted = {
        **fields(get_page(client, "/gates/release")),
        "guard-0-measure": "ndgc@10",
        "alpha": "7",
        "smallest_slice": "12",
    }
    answer = client.post("/gates/release", data=posted, headers=HTML)
    page = parse(answer.text)
    assert answer.status_code == 422
    assert "did you mean" in page.find(id="guard-0-wrong").text
    assert page.find(id="guard-0-measure")["aria-describedby"] == "guard-0-wrong"
    assert "between 0 and 0.5" in page.find(id="alpha-wrong").text
    assert "(and 1 more)" in page.find(class_="banner").text
    again = fields(page)
    assert (again["guard-0-measure"], again["alpha"], again["smallest_slice"]) == (
        "ndgc@10",
        "7",
        "12",
    )
    assert archive.gates.get("release").settings == GATE


@pytest.mark.usefixtures("runs")
def test_two_editors_do_not_overwrite_each_other(client, archive):
    """The second editor sees the changes of the first, keeps their own input, and decides."""
    posted = {**fields(get_page(client, "/gates/release")), "guard-0-limit": "0.3"}
    archive.gates.put("release", {**GATE, "alpha": 0.2})
    answer = client.post("/gates/release", data=posted, headers=HTML)
    page = parse(answer.text)
    assert answer.status_code == 412
    message = page.find(class_="conflict").text
    assert "nDCG@10 drops by less than 0.1 (only in the saved gate)" in message
    assert "Alpha: saved 0.2, yours 0.05" in message
    assert archive.gates.get("release").settings["alpha"] == 0.2
    mine = fields(page)
    assert mine["guard-0-limit"] == "0.3"
    client.post("/gates/release", data=mine, headers=HTML)
    assert archive.gates.get("release").settings["guards"][0]["margin"] == 0.3


@pytest.mark.usefixtures("runs")
def test_rows_are_added_and_removed(client, archive):
    """Scripts get part of the page, other clients a page; nothing is saved."""
    posted = {**fields(get_page(client, "/gates/release")), "guard-1-limit": "0.77"}
    added = client.post(
        "/gates/release", data={**posted, "do": "add"}, headers={"HX-Request": "true"}
    )
    part = parse(added.text)
    assert added.headers["hx-trigger"] == "gate-edited"
    assert len(part.find_all("fieldset")) == 3
    assert "autofocus" in part.find(id="guard-2-measure").attributes
    assert part.find(id="guard-1-limit")["value"] == "0.77"
    fewer = client.post(
        "/gates/release", data={**posted, "do": "remove-0"}, headers={"HX-Request": "true"}
    )
    assert parse(fewer.text).find(id="guard-0-limit")["value"] == "0.77"
    whole = client.post("/gates/release", data={**posted, "do": "remove-1"}, headers=HTML)
    assert whole.status_code == 200
    assert len(parse(whole.text).find(id="guards").find_all("fieldset")) == 1
    same = client.post("/gates/release", data={**posted, "do": "remove-9"}, headers=HTML)
    assert len(parse(same.text).find(id="guards").find_all("fieldset")) == 2
    assert archive.gates.get("release").settings == GATE


@pytest.mark.usefixtures("runs")
def test_a_new_gate_has_a_proposal(client, archive):
    """It has a detectable margin, and a threshold that the baseline reaches."""
    page = get_page(client, "/gates/+new")
    given = fields(page)
    assert given["guard-0-measure"] == "nDCG@10"
    assert 0.02 <= float(given["guard-0-limit"]) <= 0.05
    assert (given["guard-1-measure"], given["baseline"]) == ("RR", "main")
    assert given["inference"] == "set", "the archive has too few queries to test the margin"
    wrong = client.post("/gates/+new", data={**given, "name": "no good"}, headers=HTML)
    assert (wrong.status_code, "letters" in parse(wrong.text).find(id="name-wrong").text) == (
        422,
        True,
    )
    taken = client.post("/gates/+new", data={**given, "name": "release"}, headers=HTML)
    assert taken.status_code == 412
    assert "already" in parse(taken.text).find(id="name-wrong").text
    made = client.post("/gates/+new", data={**given, "name": "nightly"}, headers=HTML)
    assert made.url.path == "/gates/nightly"
    assert archive.gates.get("nightly").settings["baseline"] == "main"


def test_without_a_baseline_a_threshold_is_proposed(client):
    """The replay reports that there is no run."""
    page = get_page(client, "/gates/+new")
    assert fields(page)["guard-0-kind"] == "at_least"
    assert "No runs to replay yet" in page.find(class_="strip-summary").text


def test_a_baseline_that_cannot_be_scored_gets_the_smallest_margin(client, archive):
    """Without judgments, or if all queries score alike, the detectable drop is unknown."""
    run = archive.runs.put(Run.from_lists({"q": ["d"]}), RunFacts("x"))
    archive.baselines.put("other", run.run_id)
    given = fields(get_page(client, "/gates/+new"))
    assert (given["guard-0-limit"], given["baseline"]) == ("0.02", "other")
    archive.judgments.put([JudgmentEntry("q", "d", 1)], author="ada")
    assert fields(get_page(client, "/gates/+new"))["guard-0-limit"] == "0.02"


@pytest.mark.usefixtures("runs")
def test_a_gate_can_be_read_without_the_role_admin(service, archive):
    """Fields are disabled, the page explains why, and a post is rejected."""
    token = archive.tokens.create("eve", "read")
    guarded = service(is_token_required=True)
    headers = {**HTML, "Authorization": f"Bearer {token}"}
    page = parse(guarded.get("/gates/release", headers=headers).text)
    assert "role admin; your role is read" in page.text
    assert all("disabled" in one.attributes for one in page.find_all("fieldset", class_="bare"))
    assert "requires the role judge" in page.find("main").text
    assert guarded.post("/gates/release", data={}, headers=headers).status_code == 403
    assert guarded.post("/gates/release/verdicts", data={}, headers=headers).status_code == 403


def test_a_gate_decides_on_the_newest_run_and_shows_why(client, runs):
    """Guards have intervals, possible effects of unjudged documents, and the queries needed."""
    page = get_page(client, "/gates/release")
    form = page.find("form", action="/gates/release/verdicts")
    newest = form.find("input")["value"]
    assert newest == runs[2]
    verdict = client.post("/gates/release/verdicts", data={"run": newest}, headers=HTML)
    assert verdict.url.path == "/gates/release/verdicts/1"
    shown = parse(verdict.text)
    assert shown.find(class_="verdict-sentence").text.startswith("nDCG@10 collapsed from")
    lines = shown.find(class_="guard-table").find_all("tr")
    assert len(lines[1].find_all("circle", class_="dot")) == 1
    assert len(lines[1].find_all("line", class_="whisker")) == 1
    assert shown.find("a", href=f"/compare?a={runs[0]}&b={runs[2]}")
    assert "1" in get_page(client, "/gates/release").find("section", class_="history").text


def test_a_slow_decision_is_waited_for(client, runs, monkeypatch):
    """The page shows the progress, and redirects to the verdict."""
    may_go = threading.Event()

    def slowly(*given, progress, **named):
        progress(1, 3, "reading the baseline")
        may_go.wait(10)
        return decide_on(*given, progress=progress, **named)

    monkeypatch.setattr(verdicts, "decide_on", slowly)
    monkeypatch.setattr(verdicts, "_PATIENCE_SECONDS", 0.1)
    waiting = client.post("/gates/release/verdicts", data={"run": runs[2]}, headers=HTML)
    assert waiting.url.path.startswith("/gates/release/deciding/")
    assert "Reading the baseline" in parse(waiting.text).find(id="deciding").text
    part = client.get(waiting.url.path, headers={"HX-Request": "true"})
    assert parse(part.text).find("progress")["max"] == "3"
    may_go.set()

    def led_to():
        part = client.get(waiting.url.path, headers={"HX-Request": "true"})
        return part.headers.get("hx-redirect")

    assert wait_until(led_to) == "/gates/release/verdicts/1"
    assert client.get(waiting.url.path, headers=HTML).url.path == "/gates/release/verdicts/1"
    gone = client.get("/gates/release/deciding/0123", headers=HTML)
    assert (gone.status_code, "no longer available" in gone.text) == (404, True)


def test_an_impossible_decision_is_explained(client, runs, archive):
    """The response is a page with the status of the API."""
    archive.gates.put("quick", {"guards": [{"latency": "p95", "at_most_ms": 5}]})
    answer = client.post("/gates/quick/verdicts", data={"run": runs[0]}, headers=HTML)
    assert answer.status_code == 422
    assert "query times" in parse(answer.text).find("main").text
    missing = client.post("/gates/quick/verdicts", data={"run": "0" * 64}, headers=HTML)
    assert missing.status_code == 404


def test_a_decision_may_be_cancelled(client, runs, monkeypatch):
    """The waiting page shows it."""

    def cancelled(*_given, **_named):
        raise JobCancelled

    monkeypatch.setattr(verdicts, "decide_on", cancelled)
    answer = client.post("/gates/release/verdicts", data={"run": runs[2]}, headers=HTML)
    assert (answer.status_code, "cancelled" in answer.text) == (409, True)


def test_a_verdict_lists_the_documents_that_could_change_it(client, runs, archive):
    """There is a link to judge them."""
    archive.gates.put("blocked", {**GATE, "holes": "inconclusive", "max_grade": 3})
    client.post("/gates/blocked/verdicts", data={"run": runs[2]}, headers=HTML)
    page = get_page(client, "/gates/blocked/verdicts/1")
    assert page.find("a", href=f"/judge?a={runs[0]}&b={runs[2]}")
    assert page.find("a", href=f"/queries/q01?a={runs[0]}&b={runs[2]}")
    words = archive.verdicts.get(1).report["sentence"]
    for shown in (page.find(class_="verdict-card"), finished(client, "/").find(class_="verdict")):
        doubt = shown.find(class_="doubt")
        [said] = re.findall(
            r"Extreme grades for \d+ unjudged documents? could change this\.", words
        )
        assert shown.text.count(said) == doubt.text.count(said) == 1
        assert doubt.find("a", href=f"/judge?a={runs[0]}&b={runs[2]}")


def test_a_verdict_outlives_its_gate_its_run_and_its_judgments(client, runs, archive):
    """The page shows which of them was removed or has changed."""
    client.post("/gates/release/verdicts", data={"run": runs[2]}, headers=HTML)
    archive.judgments.put([JudgmentEntry("q00", "x", 1)], author="bob")
    assert "changed since" in get_page(client, "/gates/release/verdicts/1").text
    archive.runs.remove(runs[2])
    etag = fields(get_page(client, "/gates/release"))["etag"]
    client.post("/gates/release/remove", data={"etag": etag}, headers=HTML)
    assert archive.gates.get("release") is None
    assert "removed since" in get_page(client, "/gates/release/verdicts/1").text
    gone = client.get("/gates/release", headers=HTML)
    assert gone.status_code == 404
    assert "was removed" in gone.text
    assert "/gates/release/verdicts/1" in gone.text


@pytest.mark.usefixtures("runs")
def test_a_changed_gate_is_not_removed_unseen(client, archive):
    """A missing gate is reported, too."""
    assert (
        client.post("/gates/release/remove", data={"etag": '"x"'}, headers=HTML).status_code == 412
    )
    assert client.post("/gates/other/remove", data={}, headers=HTML).status_code == 412
    assert archive.gates.get("release") is not None
    assert client.post("/gates/other", data={}, headers=HTML).status_code == 404
    assert client.get("/gates/other", headers=HTML).status_code == 404
    assert client.get("/gates/release/verdicts/7", headers=HTML).status_code == 404


@pytest.mark.usefixtures("runs")
def test_a_run_without_a_verdict_has_a_reason(client, archive):
    """A latency guard without durations is an example; the other runs have verdicts."""
    archive.gates.put("quick", {"guards": [{"latency": "p95", "at_most_ms": 5}]})
    page = finished(client, "/gates/quick")
    cell = page.find(class_="undecided")
    assert cell.find(class_="word").text == "no verdict"
    reasons = get_page(client, cell["href"])
    assert "query times" in reasons.find(class_="banner").text


def test_an_old_report_is_shown_as_far_as_possible(client, archive, runs):
    """Parts added by later versions are left out."""
    report = {"guards": [{"kind": "margin", "verdict": "pass"}], "sentence": "fine"}
    facts = {"gate": "release", "run_id": runs[0], "judgments_hash": "a" * 64}
    archive.verdicts.put(**facts, verdict="pass", report=report)
    assert "fine" in get_page(client, "/gates/release/verdicts/1").text


@pytest.mark.usefixtures("runs")
def test_the_form_has_a_field_for_every_rule(client):
    """Label, help and choices come from its declaration."""
    form = get_page(client, "/gates/release").find("form", id="gate-form")
    named = {one["name"] for kind in ("input", "select") for one in form.find_all(kind)}
    for rule in RULES:
        assert rule.name in named
        assert rule.label in form.text
        assert (rule.form_help or rule.help) in form.text
        for words in rule.words.values():
            assert words in form.text


@pytest.mark.usefixtures("runs")
def test_a_gate_that_is_no_longer_valid_is_shown_with_its_error(client, archive):
    """If a stored rule is no longer valid, the page shows the error and no TOML."""
    archive.gates.put("old", {**GATE, "smallest_slice": 0})
    page = get_page(client, "/gates/old")
    assert "a whole number from 1" in page.text
    assert not page.find_all("pre")


def test_a_verdict_is_copied_and_downloaded_as_markdown(client, runs, archive):
    """It is the text of ``berryeval gate --format markdown``, and stays as it was decided."""
    path = "/gates/release/verdicts"
    client.post(path, data={"run": runs[2]}, headers=HTML)
    result, _ = decide_at_present(
        archive,
        client.app.state.runs,
        GATE,
        archive.runs.get(runs[2]),
        archive.runs.get(runs[0]),
    )
    head = gate_to_markdown(result).splitlines()[4]  # the first guard; looks are counted
    copied = (
        get_page(client, f"{path}/1").find("details", class_="menu").find("button")["data-copy"]
    )
    answer = client.get(f"{path}/1/markdown")
    assert answer.headers["content-disposition"] == 'attachment; filename="verdict-1.md"'
    assert answer.text == copied
    assert copied.startswith("### ❌ Fail: ")
    assert "nDCG@10" in head
    assert head.split("|")[3:5] == copied.splitlines()[4].split("|")[3:5]


def test_a_verdict_of_an_earlier_version_has_no_markdown(client, runs, archive):
    """Its page has no menu for it, and the address says what to do."""
    archive.verdicts.put(
        gate="release", run_id=runs[1], baseline_id=runs[0], judgments_hash="x", verdict="pass",
        report={"verdict": "pass", "sentence": "all guards hold", "guards": []}, decision=None,
    )  # fmt: skip
    page = get_page(client, "/gates/release/verdicts/1")
    assert not page.find_all("details", class_="menu")
    answer = client.get("/gates/release/verdicts/1/markdown", headers=HTML)
    assert answer.status_code == 404
    assert "check the run again" in answer.text
    assert client.get("/gates/other/verdicts/1/markdown", headers=HTML).status_code == 404
