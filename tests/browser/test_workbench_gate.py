"""Gates and power in a real browser: guards by keyboard, live replay, live results."""

import httpx
import pytest

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


def replay_text(page):
    """Wait until the replay has ended, and return its text."""
    page.wait_for_selector(".strip .waiting", state="detached")
    return page.inner_text(".strip-summary")


def test_guards_are_edited_by_keyboard_and_replayed_while_typing(visit, workbench):
    """Rows are added, edited and removed, and Enter saves; the replay follows each change."""
    workbench.archive.gates.put("keyboard", {
        "baseline": "main",
        "guards": [{"measure": "nDCG@10", "margin": 0.02}, {"measure": "P@5", "at_least": 0.1}],
    })  # fmt: skip
    page = visit(workbench, "/gates/keyboard")
    assert "1 passes, 1 fails" in replay_text(page)
    page.focus("#guard-0-limit")
    page.keyboard.press("Control+A")
    page.keyboard.type("0.9")
    page.wait_for_selector(".is-changed .was")
    assert "2 pass" in replay_text(page)
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


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_a_verdict_shows_drawing_and_numbers_on_every_screen(visit, workbench, width):
    """No guard has to be scrolled sideways, and its axis is as wide as its drawing."""
    made = httpx.post(
        f"{workbench.address}/v1/gates/release/verdicts",
        json={"run": workbench.runs["hybrid"]},
        timeout=60,
    ).json()
    size = {"width": width, "height": 844}
    page = visit(workbench, f"/gates/release/verdicts/{made['verdict_id']}", viewport=size)
    for table in page.locator(".guard-group .scroll").all():
        assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
        axis, *drawings = (one.bounding_box() for one in table.locator(".mark svg").all())
        assert drawings
        assert {(one["x"], one["width"]) for one in drawings} == {(axis["x"], axis["width"])}
    assert page.locator("td.n:visible").first.inner_text().strip()


def test_power_updates_in_place(visit, workbench):
    """Changing the form updates the sentence and the URL, and keeps the scroll position."""
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
