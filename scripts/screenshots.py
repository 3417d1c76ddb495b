"""Take the pictures of the report that the documentation shows.

They are of the example: two search engines over a small help centre.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import berryeval as be
from berryeval.charts import forest_plot
from berryeval.reports.html import gate_to_html

ROOT = Path(__file__).parents[1]
SHELL = "chromium-headless-shell"
EXAMPLES = ROOT / "examples"
IMAGES = ROOT / "docs" / "images"
MEASURES = ["nDCG@10", "nDCG@5", "nDCG@3", "nDCG@1", "P@3", "RR"]
TOPICS = {
    "export": ("export-pdf", "export-all", "import-md"),
    "account": (
        "password-reset",
        "two-factor",
        "billing-change",
        "billing-refund",
        "invoice",
        "delete-account",
    ),
    "notes": ("encrypt", "recovery-key", "trash", "history"),
    "together": ("sync-how", "sync-stuck", "offline", "share-link", "share-team"),
}
"""Topics of documents. The topic of a query is that of its most relevant document."""
LARGEST = 200_000
"""Bytes of a picture."""


def compare_example() -> be.Comparison:
    """Compare the engine that uses stems with the one that uses words."""
    data = json.loads((EXAMPLES / "help_centre.json").read_text(encoding="utf-8"))
    topic_of = {doc_id: topic for topic, ids in TOPICS.items() for doc_id in ids}
    return be.compare(
        {  # documents that are not listed were read, and are not relevant
            query["id"]: dict.fromkeys(data["documents"], 0) | query["relevant"]
            for query in data["queries"]
        },
        {name: EXAMPLES / "runs" / f"{name}.run" for name in ("words", "stems")},
        MEASURES,
        queries=[
            be.Query(query["id"], query["query"], category=topic_of[max(grades, key=grades.get)])
            for query in data["queries"]
            if (grades := query["relevant"])
        ],
        slices=["category"],
    )


def open_page(browser: Browser, path: Path, width: int, height: int, scheme: str) -> Page:
    """Open the report on a screen."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page.goto(path.as_uri())
    return page


def take_all(path: Path) -> None:
    """Take the top in light and in dark, a query in dark, and the whole on a phone."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which(SHELL), args=["--no-sandbox"]
        )
        for name, scheme in (("report.png", "light"), ("report-dark.png", "dark")):
            page = open_page(browser, path, 1200, 1480, scheme)
            page.screenshot(path=IMAGES / name)
        page = open_page(browser, path, 1200, 1000, "dark")
        page.locator(".expand").first.click()
        page.locator("#filter").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('#status').scrollIntoView()")
        page.screenshot(path=IMAGES / "report-queries.png")
        page = open_page(browser, path, 390, 1100, "light")
        page.screenshot(path=IMAGES / "report-phone.png")
        browser.close()


def main() -> int:
    """Write the pictures, and complain about those that are too large."""
    IMAGES.mkdir(exist_ok=True)
    comparison = compare_example()
    html = gate_to_html(be.gate(comparison, margin={"nDCG@10": 0.05}, at_least={"RR": 0.7}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(html, encoding="utf-8")
        take_all(path)
    chart = forest_plot(comparison, {"nDCG@10": 0.05})
    (IMAGES / "forest.svg").write_text(f"{chart.to_svg()}\n", encoding="utf-8")
    large = [path.name for path in IMAGES.iterdir() if path.stat().st_size > LARGEST]
    for name in large:
        print(f"{name} is larger than {LARGEST:,} bytes")
    return bool(large)


if __name__ == "__main__":
    sys.exit(main())
