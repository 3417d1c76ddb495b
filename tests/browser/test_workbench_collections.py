"""Several collections in a browser: created, filled, switched between."""

import re

import pytest
from playwright.sync_api import expect

from browser.accessibility import violations

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the tests of archives and routes use both


def test_a_second_collection_is_created_filled_and_searched(new_workbench, visit, tmp_path):
    """Documents that are imported into one are not in the other."""
    workbench = new_workbench()
    page = visit(workbench, "/")
    page.get_by_role("navigation", name="Pages", exact=True).get_by_text("Collections").click()
    page.get_by_label("Name", exact=True).fill("shop")
    page.get_by_role("textbox", name="Title", exact=True).last.fill("Shop")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/c/shop/")
    expect(page.get_by_role("main")).to_contain_text("No runs yet")
    file = tmp_path / "documents.jsonl"
    text = "# Returns\\n\\nSend **shoes** back within 30 days."
    file.write_text(f'{{"doc_id": "returns", "title": "Returns", "text": "{text}"}}\n')
    page.goto(f"{workbench.address}/c/shop/import")
    page.get_by_role("radio", name=re.compile("Documents")).check()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name=re.compile("^Store")).click()
    expect(page.get_by_role("heading", name="Stored")).to_be_visible()
    page.get_by_role("navigation", name="Pages", exact=True).get_by_text("Documents").click()
    page.wait_for_url("**/documents")  # its scripts are loaded then
    page.get_by_role("searchbox", name="Search by id, title or text").fill("shoe")
    expect(page.locator("#found")).to_contain_text("1 of 1 documents")
    page.get_by_role("link", name="Returns").click()
    expect(page.locator(".markdown strong")).to_have_text("shoes")
    page.locator(".side > .switcher > summary").click()
    page.locator(".side > .switcher").get_by_role("link", name="default").click()
    page.wait_for_url(re.compile(r"/(c/default/)?$"))
    page.get_by_role("navigation", name="Pages", exact=True).get_by_text("Documents").click()
    expect(page.get_by_role("main")).not_to_contain_text("Returns")


@pytest.mark.parametrize("path", ["/collections", "/tokens", "/documents"])
def test_pages_of_administrators_are_accessible_and_fit_a_phone(new_workbench, visit, path):
    """No violation, and nothing to scroll sideways, with and without a switcher."""
    workbench = new_workbench()
    workbench.archive.collections.create("shop", "Shop, all countries and all their languages")
    workbench.archive.tokens.create("shop-ci", "judge", ["shop"])
    page = visit(workbench, path)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
