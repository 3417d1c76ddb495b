"""Every workbench page on desktop and phone, in light and dark themes.

The pages are those captured by `make screenshots`.
"""

import httpx
import pytest
from playwright.sync_api import expect
from scripts.workbench_screenshots import NO_PICTURES, PICTURES

from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.service.workbench.pages import OPEN_ROUTERS, ROUTERS
from browser import small_archive
from browser.accessibility import COLOURS, WIDTH, violations
from browser.visits import settle

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # pages look the same with both databases

SIZES = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Distance of the footer from the content above and next to it, and what it covers.
FOOT = """() => {
  const [foot, main] = ["footer", "main"].map((name) => document.querySelector(name));
  if (!foot) return [];
  const [low, high] = [foot, main].map((one) => one.getBoundingClientRect());
  const covered = main.scrollHeight - main.clientHeight;
  return [high.bottom - low.top, Math.abs(high.left - low.left), covered];
}"""
MAX_SHIFT = 0.01


def decide(workbench):
    """Run the gate, and return the number of its verdict."""
    answer = httpx.post(
        f"{workbench.address}/v1/gates/release/verdicts",
        json={"run": workbench.runs["hybrid"]},
        timeout=60,
    )
    return answer.json()["verdict_id"]


def upload(workbench, name, n_ranks):
    """Upload the first ranks of the baseline as a run, and return its id."""
    rankings = {query_id: ids[:n_ranks] for query_id, ids in small_archive.baseline().items()}
    answer = httpx.post(
        f"{workbench.address}/v1/runs?name={name}",
        content=small_archive.run_file(rankings, name),
        timeout=60,
    )
    return answer.json()["run_id"]


def start_project(archive, run_id):
    """Start a project of two judges who disagree once, with notes, and one who cannot judge."""
    pairs = PairSelection("holes", (run_id,), limit=10)
    plan = ProjectPlan(pairs, 2, ("ada", "bob"), guideline="3 answers the question.")
    archive.projects.create("team", plan, author="eve")
    for number, one in enumerate(archive.projects.board("team").pairs[:5]):
        for judge, grade in (("ada", 2), ("bob", (0, None, 2, 2, 1)[number])):
            archive.projects.answer("team", *one.asked.pair, grade, author=judge, note="because")
    first = archive.projects.board("team").conflicts[0].asked.pair
    archive.projects.settle("team", *first, 1, author="eve")


@pytest.fixture(scope="module")
def known(workbench):
    """Return the values used in the URLs of screenshots."""
    start_project(workbench.archive, workbench.runs["hybrid"])
    small_archive.index(workbench.archive)
    return {
        "baseline": "main",
        "candidate": workbench.runs["hybrid"],
        "second": upload(workbench, "short", n_ranks=3),
        "third": upload(workbench, "shorter", n_ranks=1),
        "gate": "release",
        "project": "team",
        "query": f"/queries/q01?a=main&b={workbench.runs['hybrid']}",
        "query_id": "q01",
        "document": "/queries/q01/documents/q01-b",
        "judgment": "/judgments/q01/q01-b",
        "verdict": decide(workbench),
    }


def complaints_of_layout(page):
    """Return layout shifts, horizontal overflow, and a misplaced footer."""
    shifted, sideways = page.evaluate("window.shifted"), page.evaluate(SIDEWAYS)
    found = [f"shifted by {shifted:.3f}"] if shifted > MAX_SHIFT else []
    found += [f"{sideways} px too wide"] if sideways > 0 else []
    foot = page.evaluate(FOOT)
    return found + ([f"the foot is off by {foot}"] if max(foot, default=0) > 1 else [])


def shows_keys(page):
    """Return whether the key ? opens the list of keys; afterwards it is closed."""
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("?")
    is_open = page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    return is_open


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_page_is_accessible_and_stable(workbench, known, visit, picture):
    """Contrast, labels, names and roles pass; no page scrolls sideways or shifts while loading.

    The rule that combines grades is at the foot of each page, aligned with the content.
    """
    address, found = picture.address.format(**known), {}
    page = visit(workbench, address, viewport=SIZES["phone"], reduced_motion="reduce")
    settle(page)
    found["phone"] = complaints_of_layout(page)
    if found["phone"]:  # a busy machine draws a table in pieces; a fault of the page comes again
        page.reload()
        settle(page)
        found["phone"] = complaints_of_layout(page)
    page.set_viewport_size(SIZES["desk"])
    page.goto(address)
    settle(page)
    found["desk"] = complaints_of_layout(page)
    if picture.name != "login":  # login has no menu, and nothing to press
        found["keys"] = [] if shows_keys(page) else ["? does not show the keys"]
    if picture.prepare:
        picture.prepare(page)
    found["light"] = violations(page)
    page.emulate_media(color_scheme="dark")
    found["dark"] = violations(page, only=COLOURS)
    page.set_viewport_size(SIZES["phone"])
    found["narrow"] = violations(page, only=WIDTH)
    assert {where: what for where, what in found.items() if what} == {}


def routes_of(router):
    """Iterate over the routes of a router and its included routers."""
    for route in router.routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from routes_of(included)


def test_three_runs_are_chosen_and_compared(workbench, known, visit):
    """The boxes of Runs lead to a leaderboard, and its copied link shows the same."""
    page = visit(workbench, "/runs")
    for name in ("candidate", "second"):
        page.locator(f"#choose-{known[name]}").check()
    page.get_by_role("button", name="Compare chosen runs with baseline main").click()
    places = page.get_by_role("region", name="Table of runs").locator("tbody tr")
    expect(places).to_have_count(3)
    seen = page.locator("h1").inner_text(), places.all_inner_texts()
    page.goto(page.get_by_role("button", name="Copy link").get_attribute("data-copy"))
    expect(page.locator("#pinned")).to_contain_text("Judgments as of")
    assert (page.locator("h1").inner_text(), places.all_inner_texts()) == seen


def test_every_page_has_a_screenshot():
    """A new route is a page with a screenshot, a part of a page, or listed as an exception."""
    routes = [
        route
        for router in (*OPEN_ROUTERS, *ROUTERS)
        for route in routes_of(router)
        if "GET" in (route.methods or ())
    ]
    shown = {picture.route for picture in PICTURES}
    pages = {route.path for route in routes if "part" not in route.tags}
    assert pages <= shown | NO_PICTURES.keys()
    assert shown | NO_PICTURES.keys() <= {route.path for route in routes}
    assert not shown & NO_PICTURES.keys()
