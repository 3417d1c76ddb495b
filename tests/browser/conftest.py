"""A real browser, if there is one; files and services that it opens."""

import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from archive.databases import new_database
from browser import small_archive
from browser.running_workbench import Workbench
from browser.visits import Visits

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


def pytest_generate_tests(metafunc):
    """Run a test in both databases, unless its module names those that it needs."""
    if "database" in metafunc.fixturenames:
        databases = getattr(metafunc.module, "DATABASES", ("sqlite", "postgresql"))
        metafunc.parametrize("database", databases, scope="module")


@pytest.fixture(scope="module")
def location(request, database, tmp_path_factory):
    """Where an archive may be made, for all tests of a module."""
    with _new_location(request, database, tmp_path_factory.mktemp("archive")) as found:
        yield found


@pytest.fixture(scope="module")
def workbench(location):
    """A service over the small archive, which all tests of a module share."""
    started = Workbench(location)
    started.runs = small_archive.fill(started.archive)
    yield started
    started.close()


@pytest.fixture
def new_workbench(request, database, tmp_path):
    """Start services of one test's own, each over an empty archive: settings as keywords."""
    with ExitStack() as stack:

        def start(**settings) -> Workbench:
            folder = tmp_path / str(len(started))
            folder.mkdir()
            location = stack.enter_context(_new_location(request, database, folder))
            started.append(Workbench(location, **settings))
            stack.callback(started[-1].close)
            return started[-1]

        started: list[Workbench] = []
        yield start


@contextmanager
def _new_location(request, kind: str, folder: Path):
    if kind == "sqlite":
        yield str(folder / "berryeval.db")
    else:
        with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
            yield dsn


@pytest.fixture
def visit(browser):
    """Open pages of a service; fail at the end for any complaint that was not expected."""
    visits = Visits(browser)
    yield visits
    assert visits.close() == []
