"""Gates and power in a real browser: guards by keyboard, a replay while one types, the answer."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both


def told(page):
    """Wait until the replay has ended, and return what it says."""
    page.wait_for_selector(".strip .waiting", state="detached")
    return page.inner_text(".strip-told")


def test_guards_are_edited_by_keyboard_and_replayed_as_one_types(visit, workbench):
    """A row more, its fields, a row less, and Enter saves; the strip follows each change."""
    workbench.archive.gates.put("keyboard", {
        "baseline": "main",
        "guards": [{"measure": "nDCG@10", "margin": 0.02}, {"measure": "P@5", "at_least": 0.1}],
    })  # fmt: skip
    page = visit(workbench, "/gates/keyboard")
    assert "1 passes, 1 fails" in told(page)
    page.focus("#guard-0-limit")
    page.keyboard.press("Control+A")
    page.keyboard.type("0.9")
    page.wait_for_selector(".is-changed .was")
    assert "2 pass" in told(page)
    assert "With the saved guards: 1 passes, 1 fails. 1 verdict changes." in page.inner_text(
        ".strip-before"
    )
    page.focus("button[value=add]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#guard-2-measure:focus")
    page.keyboard.type("RR")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("0.9")
    page.wait_for_selector("#toml:has-text('measure = \"RR\"')")
    page.focus("button[value=remove-1]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#guard-0-measure:focus")
    page.focus("#guard-1-limit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/gates/keyboard?saved")
    kept = workbench.archive.gates.get("keyboard").settings["guards"]
    assert [guard["measure"] for guard in kept] == ["nDCG@10", "RR"]


def test_two_editors_see_each_other(visit, workbench):
    """Who saves second is told, and may still save."""
    workbench.archive.gates.put("shared", {"guards": [{"measure": "RR", "at_least": 0.1}]})
    visit.expect("status of 412")
    first, second = visit(workbench, "/gates/shared"), visit(workbench, "/gates/shared")
    for page, limit in ((first, "0.2"), (second, "0.3")):
        page.fill("#guard-0-limit", limit)
        page.click("button[value=save] >> nth=0")
        page.wait_for_selector(".banner")
    assert "RR at least 0.2 (only in the saved gate)" in second.inner_text(".conflict")
    second.click("text=Save my version")
    second.wait_for_url("**/gates/shared?saved")
    assert workbench.archive.gates.get("shared").settings["guards"][0]["at_least"] == 0.3


def test_a_gate_decides_and_leads_to_what_could_turn_it(visit, workbench):
    """From the button to the verdict to the documents that nobody judged."""
    page = visit(workbench, "/gates/release")
    page.click("text=Check the newest run")
    page.wait_for_url(re.compile(r"/gates/release/verdicts/\d+$"))
    assert page.inner_text(".verdict-card .badge").lower() == "fail"
    assert page.locator(".guard-mark circle").count() > 0
    assert page.get_by_role("link", name="Judge them").get_attribute("href").startswith("/judge?a=")


def test_power_answers_in_place(visit, workbench):
    """A change of the form changes the sentence and the address, and keeps one's place."""
    page = visit(workbench, "/power")
    page.wait_for_selector(".tiles")
    page.fill("#margin", "0.005")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=/A margin of 0.005 needs/")
    assert page.evaluate("document.activeElement.id") == "alpha"
    assert "margin=0.005" in page.url
    page.fill("#margin", "much")
    page.keyboard.press("Enter")
    page.wait_for_selector("#margin-wrong:has-text('found')")
    page.select_option("#source", "given")
    page.wait_for_selector("#sd:visible")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_everybody_can_use_them(visit, workbench, scheme, width):
    """Nothing that axe knows of is wrong, no page scrolls sideways, and nothing jumps."""
    verdict = workbench.archive.verdicts.summaries(gate="release", limit=1).items
    paths = ["/gates", "/gates/release", "/gates/+new", "/power", "/power?source=given"]
    paths += [f"/gates/release/verdicts/{one.verdict_id}" for one in verdict]
    for path in paths:
        page = visit(workbench, path, color_scheme=scheme, viewport={"width": width, "height": 844})
        page.wait_for_selector(".strip .waiting", state="detached")
        page.wait_for_selector(".power-room", state="detached")
        page.wait_for_timeout(100)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], path
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), path
        assert page.evaluate("window.shifted") < 0.02, path
