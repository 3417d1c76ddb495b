"""Parts of every workbench page: the palette, search, themes, login, and errors."""

import re

import pytest
from playwright.sync_api import expect

from browser.accessibility import violations
from browser.visits import settle

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys cover the other database


def test_the_palette_opens_any_page_by_keyboard(workbench, visit):
    """Ctrl-K, some letters, arrows, Enter; Escape closes it."""
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


def test_the_palette_reports_when_nothing_matches(workbench, visit):
    """The search text is shown literally."""
    page = visit(workbench, "/search")
    page.locator("[data-palette]").first.click()
    page.keyboard.type("<b>nothing")
    expect(page.locator("#palette-items")).to_contain_text("No results for “<b>nothing”.")
    expect(page.locator("#palette-items b")).to_have_count(0)


def test_a_question_mark_shows_the_keys_of_a_page(workbench, visit):
    """On a query it also has the keys that judge; in a field it is a character."""
    page = visit(workbench, f"/queries/q01?a=main&b={workbench.runs['hybrid']}")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Undo the last grade")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.goto("/queries")
    page.get_by_role("searchbox").first.press("?")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    expect(dialog).to_contain_text("Ctrl K")
    assert violations(page, within="#keys") == []


def test_a_menu_and_a_notice_fit_on_a_phone(workbench, visit):
    """The actions of a run do not widen the page, and a notice is one text, not columns."""
    size = {"width": 390, "height": 844}
    page = visit(workbench, f"/runs/{workbench.runs['hybrid']}", viewport=size)
    page.get_by_text("More", exact=True).click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto("/queries/q01/documents/nowhere")
    assert page.locator(".banner").evaluate("one => getComputedStyle(one).display") == "block"


def test_no_word_of_a_grade_is_broken(workbench, visit):
    """On a small desktop, the labels are below their digits."""
    page = visit(workbench, "/judge", viewport={"width": 1024, "height": 768})
    labels = page.locator(".judge-meaning")
    expect(labels.first).to_be_visible()
    is_whole = """(one) => {
      Object.assign(one.style, { overflowWrap: "normal", hyphens: "none" });
      return one.scrollWidth <= one.clientWidth;
    }"""
    for label in labels.all():
        assert label.evaluate(is_whole), label.inner_text()


def test_the_open_tab_is_in_sight_on_a_phone(workbench, visit):
    """Also once the page is replaced, as it is when the judgments have been read."""
    page = visit(workbench, "/judgments/policy", viewport={"width": 390, "height": 844})
    is_in_sight = """() => {
      const [tabs, tab] = [".tabs", ".tabs [aria-current]"].map((name) =>
        document.querySelector(name).getBoundingClientRect());
      return tabs.left <= tab.left && tab.right <= tabs.right;
    }"""
    page.wait_for_function(is_in_sight)
    page.evaluate("""htmx.ajax("GET", location.pathname, {
      target: "#main", select: "#main", swap: "outerHTML",
    })""")
    settle(page)
    page.wait_for_function(is_in_sight)


def test_a_slow_filter_shows_that_it_works(workbench, visit):
    """The list is marked as busy until the new one arrives."""
    page = visit(workbench, "/queries")
    waiting = []
    page.route("**/queries?*", lambda route: waiting.append(route))  # noqa: PLW0108
    page.get_by_role("searchbox").first.fill("basil")
    expect(page.locator("#found")).to_have_attribute("aria-busy", "true")
    page.wait_for_function("getComputedStyle(document.body, '::before').content === '\"\"'")
    waiting.pop().continue_()
    expect(page.locator("#found tbody tr")).to_have_count(2)
    expect(page.locator("#found")).not_to_have_attribute("aria-busy", "true")


def test_arrow_keys_wrap_around_in_the_palette(workbench, visit):
    """Screen readers announce the selected entry."""
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


def test_the_theme_follows_the_system_until_one_is_chosen(workbench, visit):
    """The choice persists, and the next page uses it from the first paint."""
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


def test_a_token_logs_in_and_out(new_workbench, visit):
    """A user without a session logs in, returns to the requested page, and can log out."""
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


def test_a_long_name_leaves_room_for_the_role(new_workbench, visit):
    """The name is cut off in the side bar, the role is not."""
    workbench = new_workbench(is_token_required=True)
    token = workbench.archive.tokens.create("a-team-of-judges-with-a-very-long-name", "judge")
    page = visit(workbench, "/login")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")
    role, bar = page.locator(".who .name .muted"), page.locator(".who").bounding_box()
    expect(role).to_have_text("judge")
    assert role.evaluate("one => one.scrollWidth <= Math.max(one.clientWidth, one.offsetWidth)")
    box = role.bounding_box()
    assert box["width"] > 20
    assert box["x"] + box["width"] <= bar["x"] + bar["width"]


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_what_a_user_can_do_is_in_one_line(new_workbench, visit, width):
    """Log out, export, keys and theme; on a phone, the header is as high as its logo."""
    workbench = new_workbench(is_token_required=True)
    size = {"width": width, "height": 844}
    page = visit(workbench, "/login?next=/runs", viewport=size)
    page.get_by_label("Token").fill(workbench.archive.tokens.create("ada", "judge"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs")
    page.locator("[data-export]").wait_for()
    controls = [page.locator(f".who {name}").bounding_box() for name in ("form", "[data-export]")]
    controls.append(page.locator("[data-theme-switch]").bounding_box())
    middles = {round(one["y"] + one["height"] / 2) for one in controls}
    assert max(middles) - min(middles) <= 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_unreachable_server_is_reported(new_workbench, visit):
    """The page shows a message and stays; it recovers when the server is back."""
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
    """It opens with a tap, and closes with a tap elsewhere."""
    page = visit(workbench, "/search", viewport={"width": 390, "height": 844}, has_touch=True)
    menu = page.locator(".small-menu")
    link = menu.get_by_role("link", name="Gates")
    expect(link).to_be_hidden()
    menu.locator("summary").tap()
    expect(link).to_be_visible()
    assert violations(page, within=".small-menu") == []
    page.touchscreen.tap(200, 800)
    expect(link).to_be_hidden()


def test_the_menu_can_be_skipped(workbench, visit):
    """The first press of Tab focuses the skip link."""
    page = visit(workbench, f"/runs/{workbench.runs['bm25']}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
