"""What every page of the workbench has: the palette, search, colours, logging in, problems."""

import re

import pytest
from playwright.sync_api import expect

from browser.accessibility import violations

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # what is asked of the other is asked in journeys


def test_the_palette_leads_anywhere_by_keyboard(workbench, visit):
    """Ctrl-K, some letters, arrows, Enter; Escape puts it away."""
    page = visit(workbench, "/search")
    page.keyboard.press("Control+k")
    options = page.locator("#palette [role=option]")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(options.filter(has_text="Overview")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("water tomatoes")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/queries/q01")


def test_the_palette_says_what_it_does_not_find(workbench, visit):
    """And shows letters as they are, whatever they are."""
    page = visit(workbench, "/search")
    page.locator("[data-palette]").first.click()
    page.keyboard.type("<b>nothing")
    expect(page.locator("#palette-items")).to_contain_text("No results for “<b>nothing”.")
    expect(page.locator("#palette-items b")).to_have_count(0)


def test_arrows_go_round_in_the_palette(workbench, visit):
    """The last is before the first, and a reader hears which one is chosen."""
    page = visit(workbench, "/search")
    page.keyboard.press("Control+k")
    options = page.locator("#palette [role=option]")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    chosen = options.first.get_attribute("id")
    expect(page.locator("#palette input")).to_have_attribute("aria-activedescendant", chosen)


def test_colours_are_as_the_system_has_them_until_somebody_chooses(workbench, visit):
    """The choice lasts, and the next page is painted in it at once."""
    page = visit(workbench, "/search", color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    switch = page.get_by_role("button", name=re.compile("Theme"))
    switch.click()
    expect(switch).to_have_attribute("aria-label", "Theme: light")
    light = page.evaluate(background)
    assert light != dark
    page.goto("/search?q=a")
    assert page.evaluate(background) == light
    switch.click()
    expect(switch).to_have_attribute("aria-label", "Theme: dark")
    assert page.evaluate(background) == dark
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == dark
    switch.click()
    assert page.evaluate(background) == light


def test_a_token_opens_the_door_and_closes_it_again(new_workbench, visit):
    """Whoever is not known logs in, comes to the page that they asked for, and can leave."""
    workbench = new_workbench(is_token_required=True)
    token = workbench.archive.tokens.create("ada", "judge")
    page = visit(workbench, "/search?q=hybrid")
    visit.expect("status of 401")
    page.wait_for_url(re.compile(r"/login\?next="))
    page.get_by_label("Token").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("Unknown")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=hybrid")
    expect(page.locator(".who")).to_contain_text("ada")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.goto("/search")
    page.wait_for_url(re.compile(r"/login\?next="))


def test_a_server_that_is_away_is_told_of(new_workbench, visit):
    """The page says so and stays; once the server is back, so is everything."""
    visit.expect("ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET|htmx:")
    workbench = new_workbench()
    page = visit(workbench, "/search?q=leeks")
    workbench.stop()
    page.keyboard.press("Control+k")
    expect(page.locator("#messages")).to_contain_text("The server is not responding")
    workbench.start()
    page.keyboard.type("basil")
    expect(page.locator("#palette [role=option]")).to_have_count(2)


def test_a_phone_has_a_menu(workbench, visit):
    """It opens by a touch, and closes when something else is touched."""
    page = visit(workbench, "/search", viewport={"width": 390, "height": 844}, has_touch=True)
    menu = page.locator(".small-menu")
    link = menu.get_by_role("link", name="Gates")
    expect(link).to_be_hidden()
    menu.locator("summary").tap()
    expect(link).to_be_visible()
    assert violations(page, within=".small-menu") == []
    page.touchscreen.tap(200, 800)
    expect(link).to_be_hidden()


def test_one_can_skip_the_menu(workbench, visit):
    """The first key of Tab offers it."""
    page = visit(workbench, f"/runs/{workbench.runs['bm25']}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
