"""The first hour of a team: an empty service, the samples that ship, and a count of all clicks."""

import re

import pytest
from playwright.sync_api import expect

from browser.judging import wait_for_queue, wait_until_saved

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)

MAX_CLICKS = 10

# Counts clicks in all pages of a visit.
COUNT_CLICKS = """addEventListener("pointerdown", () =>
  sessionStorage.setItem("clicks", 1 + Number(sessionStorage.getItem("clicks"))), true)"""


@pytest.fixture
def admin(new_workbench, visit):
    """The page of an admin who has just logged in to the empty service of a team."""
    workbench = new_workbench(is_empty=True, is_token_required=True)
    page = visit(workbench, "/")
    page.context.add_init_script(COUNT_CLICKS)
    page.reload()
    page.get_by_label("Token").click()
    page.get_by_label("Token").fill(workbench.archive.tokens.create("ada", "admin"))
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("main")).to_contain_text("No runs yet")
    return page, workbench.archive


def clicks(page) -> int:
    return page.evaluate("Number(sessionStorage.getItem('clicks'))")


def open_menu(page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()


def test_an_empty_service_leads_to_judging_with_texts(admin):
    """A user logs in, loads the samples, opens Judge, and grades an article with its text."""
    page, archive = admin
    page.get_by_role("button", name="Load samples").click()
    expect(page.get_by_role("main")).to_contain_text("stems")
    open_menu(page, "Judge")
    wait_for_queue(page)
    doc_id = page.locator("#judge-id").inner_text()
    document = archive.documents.get(doc_id)
    expect(page.locator("#judge-card")).to_contain_text(document.title)
    expect(page.locator("#judge-card")).to_contain_text(document.text)
    before = archive.judgments.revision()
    page.get_by_role("button", name=re.compile("^3")).click()
    wait_until_saved(page)
    assert archive.judgments.revision() > before
    assert 3 <= clicks(page) <= MAX_CLICKS


def test_an_empty_service_leads_to_a_verdict(admin):
    """A user logs in, loads the samples, sets up the proposed gate, and checks the newest run."""
    page, _ = admin
    page.get_by_role("button", name="Load samples").click()
    open_menu(page, "Gates")
    page.get_by_role("link", name="New gate").click()
    page.get_by_label("Name", exact=True).click()
    page.get_by_label("Name", exact=True).fill("release")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Check the newest run").click()
    page.wait_for_url(re.compile(r"/verdicts/\d+"))
    expect(page.locator(".verdict-card .badge")).to_have_text("pass")
    assert 3 <= clicks(page) <= MAX_CLICKS
