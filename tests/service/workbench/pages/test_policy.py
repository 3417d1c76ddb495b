"""The page Rule and scale, and the rule at the foot of every page."""

import asyncio

import pytest

from berryeval.archive import JudgmentEntry
from berryeval.archive.records import JudgingPolicy
from berryeval.core.judging import JUDGES
from berryeval.service.middleware.access import COOKIE
from service.workbench.html import HTML, get_page, parse

pytestmark = pytest.mark.usefixtures("patient")
BASE = "http://quality.example"
LABELS = ("None", "A little", "Half", "Most", "All of it")


@pytest.fixture
def judged(archive):
    """An archive in which judges disagree about one of two documents."""
    archive.judgments.put(
        [JudgmentEntry("q1", "d1", 2), JudgmentEntry("q1", "d2", 1)], author="ada"
    )
    archive.judgments.add_opinion("q1", "d1", 0, author="bob")
    return archive


def post(client, **form):
    """Post the form, and return the response."""
    return client.post("/judgments/policy", data=form, headers=HTML, follow_redirects=False)


def rules_of(page):
    """Return the description of each rule."""
    return {
        one.find("input")["value"]: one.find("small").text
        for one in page.find_all("label", class_="rule")
    }


def chosen(page):
    """Return the selected rules."""
    radios = page.find_all("input", type="radio", name="rule")
    return [one["value"] for one in radios if "checked" in one.attributes]


@pytest.mark.usefixtures("judged")
def test_each_rule_shows_what_it_would_change(client):
    """The page shows the effect before a rule is saved, and marks the current rule."""
    page = get_page(client, "/judgments/policy")
    assert chosen(page) == ["first"]
    assert rules_of(page) == {
        "first": "Current rule.",
        "latest": "Would change 1 grade and the scores that depend on it.",
        "max": "Would change nothing.",
        "mean": "Would change 1 grade and the scores that depend on it.",
        "majority": "Would change 1 grade and the scores that depend on it.",
    }


def test_a_rule_is_saved_and_its_changes_are_shown(client, judged):
    """The scale stays undeclared."""
    answer = post(client, rule="mean")
    assert answer.status_code == 303
    page = get_page(client, answer.headers["location"])
    assert page.find("p", role="status").text == "Saved. 1 grade changed."
    assert (chosen(page), judged.judging.get()) == (["mean"], JudgingPolicy("mean"))
    assert judged.judgments.get("q1", "d1").grade == 1


def test_a_scale_is_saved_and_the_rule_stays(client, judged):
    """There is one label per line; empty lines at the end are ignored."""
    judged.judging.put(JudgingPolicy("max"))
    answer = post(client, labels="\r\n".join(LABELS) + "\r\n\r\n")
    assert judged.judging.get() == JudgingPolicy("max", LABELS)
    page = get_page(client, answer.headers["location"])
    assert page.find("p", role="status").text == "Saved."
    assert page.find("textarea").inside == ["\n" + "\n".join(LABELS)]
    post(client, labels=" \n")
    assert judged.judging.get() == JudgingPolicy("max")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("only one", "Labels: expected 2 to 10 labels, from grade 0 up, got 1."),
        ("\n".join("abcdefghijk"), "Labels: expected 2 to 10 labels, from grade 0 up, got 11."),
        ("\nyes", "Line 1: expected 1 to 60 characters, got 0."),
        ("no\n\nyes", "Line 2: expected 1 to 60 characters, got 0."),
        ("no\n" + "y" * 61, "Line 2: expected 1 to 60 characters, got 61."),
    ],
)
def test_invalid_labels_stay_in_the_form_with_a_message(client, judged, labels, words):
    """Nothing is stored, and no input is lost."""
    answer = post(client, labels=labels)
    assert answer.status_code == 422
    field = parse(answer.text).find("textarea")
    assert field.inside == [f"\n{labels}"]
    assert field["aria-invalid"] == "true"
    (alert,) = parse(answer.text).find_all(role="alert")
    assert (alert["id"], alert.text) == (field["aria-describedby"], words)
    assert judged.judging.get() == JudgingPolicy()


@pytest.mark.parametrize("form", [{}, {"rule": "median"}, {"rule": ""}])
def test_a_form_without_a_rule_changes_nothing(client, judged, form):
    """It declares neither the default rule nor no scale."""
    judged.judging.put(JudgingPolicy("max", LABELS))
    answer = post(client, **form)
    assert answer.status_code == 422
    assert "expected 'first' or 'latest'" in parse(answer.text).find(role="alert").text
    assert judged.judging.get() == JudgingPolicy("max", LABELS)


def test_grades_above_the_scale_are_pointed_out(client, judged):
    """They still count, but cannot be given again."""
    judged.judging.put(JudgingPolicy(labels=("no", "yes")))
    page = get_page(client, "/judgments/policy")
    assert "1 judgment has a grade above 1" in page.find("section", id="scale").text
    judged.judging.put(JudgingPolicy(labels=("no", "partly", "yes")))
    assert "above" not in get_page(client, "/judgments/policy").find("section", id="scale").text


def test_a_judge_can_view_but_not_change_the_policy(service, archive):
    """Fields are disabled, there is no button, and the required role is named."""
    guarded = service(BASE, host="0.0.0.0")  # noqa: S104
    guarded.cookies.set(COOKIE, archive.sessions.start(archive.tokens.create("ada", "judge")))
    page = get_page(guarded, "/judgments/policy")
    assert all("disabled" in one.attributes for one in page.find("main").find_all("fieldset"))
    assert "readonly" in page.find("textarea").attributes
    assert not page.find("main").find_all("button")
    assert "role admin" in page.find("main").text


@pytest.mark.parametrize("rule", JUDGES)
def test_every_page_names_the_rule(client, archive, rule):
    """It is at the foot, with a link to change it."""
    archive.judging.put(JudgingPolicy(rule))
    for address in ("/", "/judgments", "/import", "/gates/nothing"):
        answer = client.get(address, headers=HTML)
        (link,) = parse(answer.text).find("footer").find_all("a")
        assert (link.text, link["href"]) == (JudgingPolicy(rule).sentence, "/judgments/policy")


def test_the_login_page_does_not_show_the_rule(service):
    """Without a login, nothing of the archive is shown."""
    guarded = service(BASE, host="0.0.0.0")  # noqa: S104
    assert not get_page(guarded, "/login").find_all("footer")


def test_no_page_blocks_while_it_reads_the_archive(client, archive, monkeypatch):
    """The policy is read in a thread: a slow database would block all requests."""
    read, is_waiting = archive.judging.get, []

    def get():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            is_waiting.append(False)
        else:
            is_waiting.append(True)
        return read()

    monkeypatch.setattr(archive.judging, "get", get)
    for address in ("/", "/import", "/import/jobs/nothing", "/judge", "/nothing", "/gates/nothing"):
        client.get(address, headers=HTML)
    client.post("/import", data={"kind": "runs"}, headers=HTML)
    assert set(is_waiting) == {False}
