"""The queue as somebody with a keyboard uses it."""

from playwright.sync_api import expect

from browser import small_archive

SHOWN = "['judge-query', 'judge-id'].map((id) => document.getElementById(id).innerText)"
TEXTS = {query.text: query.query_id for query in small_archive.queries()}


def shown_pair(page) -> tuple[str, str]:
    """Tell which query and document are asked for, as the page shows them."""
    assert page.locator("#judge-form").is_visible(), "it asks for nothing"
    text, doc_id = page.evaluate(SHOWN)
    return TEXTS[text], doc_id


def wait_until_saved(page) -> None:
    """Wait until the server has written what was pressed; the page tries again by itself."""
    expect(page.locator("#judge-saved")).to_have_text("Saved", timeout=30_000)


def judge_all(page, key: str) -> list[tuple[str, str]]:
    """Press a key until nothing is left; return what was asked for, in its order."""
    seen = []
    form, done = page.locator("#judge-form"), page.locator("#judge-done")
    while True:
        expect(form.or_(done).filter(visible=True)).to_be_visible()
        if form.is_hidden():
            wait_until_saved(page)
            return seen
        seen.append(shown_pair(page))
        page.keyboard.press(key)
        assert len(set(seen)) == len(seen), "it asks for the same again"


def judged_by(archive, pairs) -> dict[tuple[str, str], tuple[str, float]]:
    """Return author and grade of the pairs that have one."""
    found = {pair: archive.judgments.get(*pair) for pair in pairs}
    return {pair: (one.author, one.grade) for pair, one in found.items() if one is not None}
