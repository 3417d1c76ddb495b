"""The browser fixtures detect what they are meant to detect."""

import asyncio

import pytest

from browser.visits import Visits

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)


@pytest.mark.usefixtures("browser")
def test_complaints_are_recorded(contexts, new_workbench):
    """They include console errors, uncaught exceptions, and requests to other hosts."""
    visits = Visits(contexts)
    page = visits(new_workbench(), "/docs")
    page.evaluate("console.error('first'); console.log('not this')")
    page.evaluate("setTimeout(() => { throw new Error('second'); })")
    page.evaluate("fetch('http://127.0.0.2:9/third').catch(() => null)")
    page.goto("/nothing-here")
    visits.expect("status of 404")
    found = visits.close()
    assert [word for word in ("first", "second", "third") if word in " ".join(found)] == [
        "first",
        "second",
        "third",
    ]
    assert "not this" not in " ".join(found)
    assert "404" not in " ".join(found)


@pytest.mark.usefixtures("chromium")
def test_other_tests_can_run_their_own_event_loops(request):
    """The shared browser stays open between tests and does not block them."""
    asyncio.run(asyncio.sleep(0))
    page = request.getfixturevalue("browser").new_page()
    assert page.evaluate("1 + 1") == 2
    page.context.close()


def test_a_reused_context_is_empty(visit, workbench, contexts):
    """It has neither cookies nor stored data."""
    first = visit(workbench, "/docs")
    first.evaluate("localStorage.kept = 'yes'; document.cookie = 'kept=yes'")
    context = first.context
    assert visit.close() == []
    assert contexts.take(base_url=workbench.address, viewport=first.viewport_size) is context
    page = context.new_page()
    page.goto("/docs")
    assert page.evaluate("[localStorage.kept, document.cookie]") == [None, ""]
    contexts.give_back(context)
