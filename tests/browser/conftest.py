"""A real browser, if there is one."""

import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """Start Debian's Chromium, or the one that playwright installed; skip where there is none.

    For a module only: while playwright is there, no other test of its process can run a loop of
    asyncio.
    """
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with api.sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open HTML from a file; fail at the end for any error or any request but the file's own."""
    contexts, complaints = [], []

    def open_it(html: str, **options):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _note(request.url, path, complaints))
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def _note(url: str, path: Path, complaints: list[str]) -> None:
    if url.partition("#")[0] != path.as_uri() and not url.startswith("data:"):
        complaints.append(url)
