"""Pages of a service in a browser, and checks that apply to every page."""

import re

from browser.running_workbench import Workbench
from waiting import SECONDS_TO_WAIT

# Sums up layout shifts, except within half a second after a key press or click.
WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# Loaded, with no htmx request pending and no content left that loads by itself.
IS_SETTLED = """() => document.readyState === "complete"
  && !document.querySelector(".htmx-request, [hx-trigger^='load']")"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def settle(page, is_settled: str = IS_SETTLED) -> None:
    """Wait until a page has loaded and drawn everything that it requests by itself."""
    page.wait_for_function(is_settled, polling=20)
    page.evaluate(TWO_FRAMES)


class Contexts:
    """Browser contexts for reuse: creating one takes longer than most pages."""

    def __init__(self, browser) -> None:
        self._browser = browser
        self._options: dict = {}
        self._blank: dict = {}
        self._free: list = []

    def take(self, **options):
        """Return a context with these options that has no cookies or stored data."""
        for context in self._free:
            if self._options[context] == options:
                self._free.remove(context)
                return context
        context = self._browser.new_context(**options)
        context.set_default_timeout(1000 * SECONDS_TO_WAIT)
        self._options[context] = options
        return context

    def give_back(self, context) -> None:
        """Close the pages of a context, and clear their stored data.

        A blank page stays open, since the process that draws the pages ends with the last of them.
        """
        used = [page for page in context.pages if page is not self._blank.get(context)]
        if context not in self._blank:
            self._blank[context] = context.new_page()
        origin = self._options[context].get("base_url")
        if origin:
            context.new_cdp_session(self._blank[context]).send(
                "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}
            )
        for page in used:
            page.close()
        self._free.append(context)

    def close(self) -> None:
        """Close all contexts."""
        for context in self._options:
            context.close()


class Visits:
    """Opens pages of a service, and records complaints.

    Complaints are errors and warnings on the console (including breaches of the content security
    policy), uncaught exceptions, and requests to other hosts.
    """

    def __init__(self, contexts: Contexts) -> None:
        self._contexts = contexts
        self._used: list[tuple] = []
        self._complaints: list[str] = []
        self._expected: list[str] = []

    def __call__(self, workbench: Workbench, path: str = "/", **options):
        """Open a page in a new browser context, with only the given cookies."""
        options = {"viewport": {"width": 1440, "height": 900}, **options}
        context = self._contexts.take(base_url=workbench.address, **options)
        listeners = {
            "console": self._on_console,
            "weberror": lambda found: self._complaints.append(str(found.error)),
            "request": lambda request: self._on_request(request.url, workbench.address),
        }
        for event, listener in listeners.items():
            context.on(event, listener)
        self._used.append((context, listeners))
        page = context.new_page()
        page.add_init_script(WATCH_SHIFTS)
        page.goto(path)
        return page

    def expect(self, pattern: str) -> None:
        """Allow complaints whose text matches a pattern, such as "404"."""
        self._expected.append(pattern)

    def close(self) -> list[str]:
        """Close all pages, and return the complaints."""
        while self._used:
            context, listeners = self._used.pop()
            self._contexts.give_back(context)
            for event, listener in listeners.items():
                context.remove_listener(event, listener)
        return [
            text
            for text in self._complaints
            if not any(re.search(pattern, text) for pattern in self._expected)
        ]

    def _on_console(self, message) -> None:
        if message.type in ("error", "warning"):
            self._complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def _on_request(self, url: str, address: str) -> None:
        if not url.startswith((f"{address}/", "data:", "blob:")):
            self._complaints.append(f"a request to {url}")
