"""The judging queue, used by keyboard."""

from playwright.sync_api import expect

from browser import small_archive
from browser.visits import settle

SHOWN = "['judge-query', 'judge-id'].map((id) => document.getElementById(id).innerText)"
NEXT = f"""() => {{
  const [form, done] = ["judge-form", "judge-done"].map((id) => document.getElementById(id));
  if (form.checkVisibility()) return {{ pair: {SHOWN} }};
  return done.checkVisibility() && {{ pair: null }};
}}"""
# There is a document to judge, and the next ones are loaded.
IS_READY = """() => document.querySelector("#judge[data-started=yes] #judge-form:not([hidden])")
  && performance.getEntriesByType("resource").some((one) => one.name.includes("/judge/next"))"""
TEXTS = {query.text: query.query_id for query in small_archive.queries()}


def wait_for_queue(page):
    """Wait until the queue has documents to judge; return its page."""
    settle(page, IS_READY)
    return page


def shown_pair(page) -> tuple[str, str]:
    """Return the query and document shown on the page."""
    assert page.locator("#judge-form").is_visible(), "it asks for nothing"
    text, doc_id = page.evaluate(SHOWN)
    return TEXTS[text], doc_id


def wait_until_saved(page) -> None:
    """Wait until the server has stored every grade; the page retries by itself."""
    expect(page.locator("#judge-saved")).to_have_text("Saved")


def judge_all(page, key: str) -> list[tuple[str, str]]:
    """Press a key until the queue is empty; return the judged pairs in order."""
    seen = []
    while pair := page.wait_for_function(NEXT, polling=20).json_value()["pair"]:
        seen.append((TEXTS[pair[0]], pair[1]))
        page.keyboard.press(key)
        assert len(set(seen)) == len(seen), "it asks for the same again"
    wait_until_saved(page)
    return seen


def judged_by(archive, pairs) -> dict[tuple[str, str], tuple[str, float]]:
    """Return the author and grade of each judged pair."""
    found = {pair: archive.judgments.get(*pair) for pair in pairs}
    return {pair: (one.author, one.grade) for pair, one in found.items() if one is not None}
