"""Take the pictures of the workbench's pages that the documentation shows.

`berryeval serve --demo` runs for as long as it takes. Every page is taken on a desk in light and
in dark, and on a phone in one of them.

    python scripts/workbench_screenshots.py [NAME ...]
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from small_png import shrink

__all__ = [
    "NO_PICTURES",
    "PAGE",
    "PICTURES",
    "Picture",
    "files_of",
    "to_markdown",
]

SHELL = "chromium-headless-shell"

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images" / "workbench"
PAGE = DOCS / "reference" / "workbench-pictures.md"
_MAX_SECONDS = 60
LARGEST = 6_000_000
"""Bytes of all pictures together."""

Size: TypeAlias = Literal["desk", "phone"]
Scheme: TypeAlias = Literal["light", "dark"]

SIZES: dict[Size, tuple[int, int, int]] = {"desk": (1440, 900, 1400), "phone": (390, 844, 1300)}
"""Width and height of a screen, and how much of a page is shown."""

VARIANTS: tuple[tuple[Size, Scheme], ...] = (
    ("desk", "light"),
    ("desk", "dark"),
    ("phone", "light"),
)
"""One scheme on a phone: with both, the files would be larger than allowed."""


@dataclass(frozen=True)
class Picture:
    """A page as the documentation shows it.

    Parameters
    ----------
    name : str
        Of its files.
    route : str
        Of the page, as the service names it.
    given : str, optional
        Where it is shown, unless that is the route; braces stand for things of the demonstration.
    prepare : callable, optional
        Actions on the page before it is taken.
    """

    name: str
    route: str
    given: str | None = None
    prepare: Callable[[Page], object] | None = None

    @property
    def address(self) -> str:
        """Where it is shown."""
        return self.given or self.route


def _open_palette(page: Page) -> None:
    page.keyboard.press("Control+K")
    page.locator("#palette [role=option]").first.wait_for()


PICTURES = (
    Picture("overview", "/"),
    Picture("runs", "/runs"),
    Picture("run", "/runs/{reference}", "/runs/{candidate}"),
    Picture("compare", "/compare", "/compare?a={baseline}&b={candidate}"),
    Picture("compare-many", "/compare", "/compare?a={baseline}&b={candidate}&b={second}&b={third}"),
    Picture("queries", "/queries"),
    Picture("query", "/queries/{query_id:id}", "{query}"),
    Picture("document", "/queries/{query_id:id}/documents/{doc_id:id}", "{document}"),
    Picture("documents", "/documents"),
    Picture("try", "/try", "/try?id={query_id}&b.fusion=ranks"),
    Picture("systems", "/try/systems"),
    Picture("judge", "/judge"),
    Picture("judgments", "/judgments"),
    Picture("judgment", "/judgments/{query_id:id}/{doc_id:id}", "{judgment}"),
    Picture("agreement", "/judgments/agreement"),
    Picture("policy", "/judgments/policy"),
    Picture("projects", "/projects"),
    Picture("project", "/projects/{name}", "/projects/{project}"),
    Picture("new-project", "/projects/+new"),
    Picture("settle", "/projects/{name}/settle", "/projects/{project}/settle"),
    Picture("gates", "/gates"),
    Picture("gate", "/gates/{name}", "/gates/{gate}"),
    Picture("new-gate", "/gates/+new"),
    Picture("verdict", "/gates/{name}/verdicts/{verdict_id}", "/gates/{gate}/verdicts/{verdict}"),
    Picture("power", "/power"),
    Picture("import", "/import"),
    Picture("collections", "/collections"),
    Picture("tokens", "/tokens"),
    Picture("search", "/search", "/search?q=a"),
    Picture("palette", "/", None, _open_palette),
    Picture("login", "/login"),
)
"""In the order in which the documentation shows them."""

NO_PICTURES = {
    "/documents/{doc_id:id}": "looks like the document of a query",
    "/assets/{name:path}": "files that pages are made of",
    "/gates/{name}/replay/{run_id}": "a verdict that is not kept, and looks the same",
    "/judgments/imports": "a plain list, of which the demonstration has none",
    "/judgments/imports/{import_id}/undo": "a question before the undo of an import",
    "/try/jobs/{job_id}": "there for as long as it takes, and then part of the page Try",
    "/import/jobs/{job_id}": "there for as long as it takes",
    "/judges": "the demonstration has no automated judges",
    "/judges/{identity}": "the demonstration has no automated judges",
    "/judges/draws": "the demonstration has no draws",
    "/judges/proposals": "the demonstration has no proposed queries",
}
"""Routes that are no pages, and what they are."""


@contextmanager
def demonstration() -> Iterator[str]:
    """Run ``berryeval serve --demo`` on an archive of its own; give its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "berryeval", "serve", "--demo", "--port", "0"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            try:
                lines = iter(process.stdout or ())
                found = next(filter(None, (re.search(r"http://[\d.]+:\d+", x) for x in lines)))
                yield found[0]
            finally:
                process.terminate()


def things(address: str, page: Page) -> dict[str, str]:
    """Look for what there is to show: the newest run, and the query that it harmed most."""

    def items(path: str) -> list[dict[str, str]]:
        with urllib.request.urlopen(f"{address}{path}") as answer:  # noqa: S310 - our own
            found: list[dict[str, str]] = json.load(answer)["items"]
            return found

    def first(path: str) -> dict[str, str]:
        return items(path)[0]

    candidate, second, third = (run["run_id"] for run in items("/v1/runs?limit=3"))
    known = {
        "baseline": first("/v1/baselines")["name"],
        "candidate": candidate,
        "second": second,
        "third": third,
        "gate": first("/v1/gates")["name"],
        "project": first("/v1/projects")["name"],
    }
    page.goto(f"{address}/compare?a={known['baseline']}&b={known['candidate']}")
    known["query"] = page.locator("#queries tbody th a").first.get_attribute("href") or ""
    pair = first("/v1/judgments?limit=1")
    ids = [quote(pair[name], safe="") for name in ("query_id", "doc_id")]
    known["query_id"] = ids[0]
    known["document"] = f"/queries/{ids[0]}/documents/{ids[1]}"
    known["judgment"] = f"/judgments/{ids[0]}/{ids[1]}"
    known["verdict"] = first(f"/v1/gates/{known['gate']}/verdicts")["verdict_id"]
    for path in ("/", "/runs"):  # scoring in the background takes some seconds
        page.goto(f"{address}{path}")
        while "being scored" in page.locator("main").inner_text():
            page.wait_for_timeout(1000)
            page.reload()
    return known


def take(browser: Browser, address: str, wanted: list[str]) -> None:
    """Write the pictures that are wanted."""
    blank = browser.new_page()
    known = things(address, blank)
    blank.goto("about:blank")
    for number, (size, scheme) in enumerate(VARIANTS):
        width, height, most = SIZES[size]
        context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            is_mobile=size == "phone",
        )
        page = context.new_page()
        for picture in PICTURES:
            if wanted and picture.name not in wanted:
                continue
            page.set_viewport_size({"width": width, "height": height})
            page.goto(picture.address.format(**known), wait_until="networkidle")
            _wait_for_results(page)
            if picture.prepare:
                picture.prepare(page)
            else:  # as high as the page, so that the menu spans all of it
                high = int(page.evaluate("document.documentElement.scrollHeight"))
                page.set_viewport_size({"width": width, "height": min(high, most)})
            png = page.screenshot(animations="disabled")
            (IMAGES / files_of(picture)[number]).write_bytes(shrink(png, blank))
        context.close()


def _wait_for_results(page: Page) -> None:
    """Wait until a page shows what it computes: a comparison, agreement, replayed verdicts."""
    waiting = page.locator(".waiting, progress:not([value]), [role=status]:has-text('Reading')")
    for _ in range(_MAX_SECONDS):
        if waiting.count() == 0:
            return
        page.wait_for_timeout(1000)


def files_of(picture: Picture) -> list[str]:
    """Name the files of a picture."""
    return [f"{picture.name}-{size}-{scheme}.png" for size, scheme in VARIANTS]


def to_markdown() -> str:
    """Return the page of the documentation that has them all."""
    lines = [
        "# Pictures of the workbench",
        "",
        "Every page of `berryeval serve --demo`: on a desktop, in light and dark, and on a phone.",
        "`make screenshots` takes them and writes this page.",
        "[Use the workbench](../how-to/use-the-workbench.md) is the tour.",
    ]
    for picture in PICTURES:
        title = picture.name.capitalize().replace("-", " ")
        cells = [f"![{title}](../images/workbench/{file})" for file in files_of(picture)]
        lines += ["", f"## {title}", ""]
        lines += ["| light | dark | phone |", "|---|---|---|", f"| {' | '.join(cells)} |"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the pictures and the page that shows them; complain if they are too large."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with demonstration() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which(SHELL), args=["--no-sandbox"]
        )
        take(browser, address, sys.argv[1:])
        browser.close()
    PAGE.write_text(to_markdown(), encoding="utf-8")
    total = sum(path.stat().st_size for path in IMAGES.iterdir())
    print(f"{total:,} bytes in {IMAGES}")
    return int(total > LARGEST)


if __name__ == "__main__":
    sys.exit(main())
