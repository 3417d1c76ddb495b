"""Pages of a service in a browser, and what no page should do."""

import re

from browser.running_workbench import Workbench

# Adds up how far what was painted moved, but for half a second after a key or a click.
WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# Loaded, with no request of htmx under way and nothing left that loads its content by itself.
IS_SETTLED = """() => document.readyState === "complete"
  && !document.querySelector(".htmx-request, [hx-trigger^='load']")"""
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def settle(page, is_settled: str = IS_SETTLED) -> None:
    """Wait until a page has everything that it asks for by itself, and has drawn it."""
    page.wait_for_function(is_settled)
    page.evaluate(TWO_FRAMES)


class Visits:
    """Opens pages of a service, and notes what no page should do.

    That is: an error or a warning on the console (a breach of the content security policy is
    one), an exception that no script caught, and a request to anywhere else.
    """

    def __init__(self, browser) -> None:
        self._browser = browser
        self._contexts: list = []
        self._complaints: list[str] = []
        self._expected: list[str] = []

    def __call__(self, workbench: Workbench, path: str = "/", **options):
        """Open a page in a browser of its own, which has no cookies but those it gets here."""
        options = {"viewport": {"width": 1440, "height": 900}, **options}
        context = self._browser.new_context(base_url=workbench.address, **options)
        context.set_default_timeout(10_000)
        context.add_init_script(WATCH_SHIFTS)
        context.on("console", self._on_console)
        context.on("weberror", lambda found: self._complaints.append(str(found.error)))
        context.on("request", lambda request: self._on_request(request.url, workbench.address))
        self._contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    def expect(self, pattern: str) -> None:
        """Allow what would be a complaint: a pattern of its text, such as "404"."""
        self._expected.append(pattern)

    def close(self) -> list[str]:
        """Close all pages, and return the complaints."""
        for context in self._contexts:
            context.close()
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
