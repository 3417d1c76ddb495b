"""A real browser, if one is installed, and the files and services that it opens."""

import asyncio
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from archive.databases import new_database
from berryeval.archive import Archive
from browser import small_archive
from browser.running_workbench import Workbench
from browser.visits import Contexts, Visits
from waiting import SECONDS_TO_WAIT

FLAGS = [
    "--no-sandbox",
    # Without a graphics card, emulating one takes longer than drawing.
    "--disable-gpu",
    "--disable-gpu-rasterization",
    # The pages of a context share a process, because starting one takes longer than most pages.
    "--disable-site-isolation-trials",
    "--process-per-site",
    "--renderer-process-limit=1",
]
# The headless shell has no window, tabs or menus to maintain, and takes half of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium():
    """Start Debian's Chromium, or the one installed by playwright; skip if there is neither.

    Returns the browser and the event loop that drives it. playwright marks the loop as running for
    as long as the browser is open, which keeps every other test of the process from running its
    own loop; `browser` sets the mark for the tests that need it.
    """
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with api.sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        api.expect.set_options(timeout=1000 * SECONDS_TO_WAIT)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)
        started.close()


@pytest.fixture
def browser(chromium):
    """The browser that all tests of a process share."""
    started, loop = chromium
    with _marked_as_running(loop):
        yield started


@contextmanager
def _marked_as_running(loop: asyncio.AbstractEventLoop):
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def contexts(chromium):
    """Browser contexts that the tests of a module use in turn."""
    started, loop = chromium
    pool = Contexts(started)
    yield pool
    with _marked_as_running(loop):
        pool.close()


@pytest.fixture
def open_page(browser, contexts, tmp_path):  # noqa: ARG001 - the browser has to run
    """Open HTML from a file; fail at the end on any error, or any request except for the file."""
    used, complaints = [], []

    def open_it(html: str, **options):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        used.append(contexts.take(viewport={"width": 1280, "height": 900}, **options))
        page = used[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _note(request.url, path, complaints))
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in used:
        contexts.give_back(context)
    assert complaints == []


def _note(url: str, path: Path, complaints: list[str]) -> None:
    if url.partition("#")[0] != path.as_uri() and not url.startswith("data:"):
        complaints.append(url)


def pytest_generate_tests(metafunc):
    """Run a test with the databases of its module, unless it names its own."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "database" in metafunc.fixturenames and all(mark.args[0] != "database" for mark in marks):
        databases = metafunc.module.DATABASES
        metafunc.parametrize("database", databases, scope="module")


@pytest.fixture(scope="session")
def small_file(tmp_path_factory):
    """Write the small archive to a SQLite file; return its path and the ids of its runs."""
    path = tmp_path_factory.mktemp("small") / "berryeval.db"
    with Archive.open(str(path)) as archive:
        runs = small_archive.fill(archive)
    return path, runs


@pytest.fixture(scope="module")
def workbench(small_file, tmp_path_factory):
    """A service over the small archive in SQLite, shared by the tests of a module."""
    location = str(tmp_path_factory.mktemp("archive") / "berryeval.db")
    runs = _fill(location, small_file)
    started = Workbench(location)
    started.runs = runs
    yield started
    started.close()


@pytest.fixture
def new_workbench(request, database, small_file, tmp_path):
    """Start services for a single test, over the small archive or an empty one."""
    with ExitStack() as stack:

        def start(*, is_empty: bool = False, **settings) -> Workbench:
            location = stack.enter_context(_new_location(request, database, tmp_path))
            runs = {} if is_empty else _fill(location, small_file)
            started = Workbench(location, **settings)
            started.runs = runs
            stack.callback(started.close)
            return started

        yield start


@contextmanager
def _new_location(request, kind: str, folder: Path):
    if kind == "sqlite":
        yield str(folder / f"{len(list(folder.iterdir()))}.db")
    else:
        with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
            yield dsn


def _fill(location: str, small_file: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """Copy the small archive to the location of a service; return the ids of its runs."""
    path, runs = small_file
    if "://" not in location:
        shutil.copyfile(path, location)
        return runs
    with Archive.open(location) as archive:
        return small_archive.fill(archive)


@pytest.fixture
def visit(browser, contexts):  # noqa: ARG001 - the browser has to run
    """Open pages of a service; fail at the end on any unexpected complaint."""
    visits = Visits(contexts)
    yield visits
    assert visits.close() == []
