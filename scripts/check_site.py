"""Open the built documentation in a browser: the front page in three ways, reports, and the search.

    python scripts/check_site.py site/ [PICTURES]

The site is served from this process. A page fails if it logs an error, asks another server for
anything, or is wider than the screen. With a folder for pictures, the front page is photographed.
"""

from __future__ import annotations

import functools
import shutil
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright  # noqa: A004

SCREENS = {"light": (1280, 900), "dark": (1280, 900), "phone": (390, 844)}
PAGES = (
    "index.html",
    "gallery.html",
    "how-to/install.html",
    "explanation/limits.html",
    "tutorials/from-runs-to-a-gate.html",
)
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SECONDS = 120
"""How long the search may take on a busy machine."""
SHELLS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def visit(browser: Browser, address: str, screen: str, faults: list[str]) -> Page:
    """Open a page, and note what is wrong with it."""
    width, height = SCREENS[screen]
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if screen == "dark" else "light",
    )
    where = f"{address} ({screen})"
    home = "/".join(address.split("/")[:3])
    page.on("console", lambda line: line.type == "error" and faults.append(f"{where}: {line.text}"))
    page.on(
        "request",
        lambda one: (
            one.url.startswith((home, "data:", "blob:"))
            or faults.append(f"{where}: asks for {one.url}")
        ),
    )
    page.goto(address)
    page.wait_for_load_state("networkidle")
    if page.evaluate(SIDEWAYS) > 0:
        faults.append(f"{where}: wider than the screen")
    return page


def check(home: str, browser: Browser, reports: list[str], pictures: Path | None) -> list[str]:
    """Return what is wrong with the site."""
    faults: list[str] = []
    for screen in SCREENS:
        for name in PAGES:
            page = visit(browser, f"{home}/{name}", screen, faults)
            if pictures is not None and name == PAGES[0]:
                page.screenshot(path=pictures / f"front-{screen}.png", full_page=True)
            page.close()
    for name in reports:
        visit(browser, f"{home}/gallery/{name}", "light", faults).close()
    page = visit(browser, f"{home}/{PAGES[0]}", "light", faults)
    page.locator("input.md-search__input").click()
    page.locator("input.md-search__input").press_sequentially("inconclusive")
    try:
        page.locator(".md-search-result__item").first.wait_for(timeout=SECONDS * 1000)
    except TimeoutError:
        faults.append(f"the search found nothing within {SECONDS} seconds")
    return faults


def main() -> None:
    """Serve the site, open it, and report faults."""
    site = Path(sys.argv[1])
    pictures = Path(sys.argv[2]) if sys.argv[2:] else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    reports = sorted(path.name for path in (site / "gallery").glob("*.html"))
    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, SHELLS)), None),
            args=["--no-sandbox", "--disable-gpu"],
        )
        faults = check(f"http://127.0.0.1:{server.server_port}", browser, reports, pictures)
        browser.close()
        server.shutdown()
    if faults or not reports:
        sys.exit("\n".join(faults) or f"{site}/gallery has no reports")
    print(
        f"{len(PAGES)} pages on {len(SCREENS)} screens, {len(reports)} reports and the search work"
    )


if __name__ == "__main__":
    main()
