"""The reports of the gallery, made from the data in the repository.

    python scripts/gallery.py FOLDER

docs/gallery.md lists them, and docs/site_hooks.py adds them to the site. The answers of the
search systems are the recorded ones, which equal those of a live search, so that the site can be
built quickly and without a search engine.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import berryeval as be
from berryeval.golden import handbook
from berryeval.reports.demo import questions_note
from berryeval.reports.html import comparison_to_html, gate_to_html
from berryeval.reports.html.quality_page import quality_to_html
from berryeval.suite.demo import RecordedSystem, run_demo
from berryeval.suite.quality import run_quality

RUNS = Path(__file__).parents[1] / "examples" / "runs"


def reports() -> dict[str, str]:
    """Return the pages by file name."""
    # The pages show what falls short; warnings would only repeat it.
    logging.getLogger("berryeval").addHandler(logging.NullHandler())
    golden = handbook()
    demo = run_demo(golden, is_recorded=True)
    quality = run_quality(RecordedSystem("hybrid", golden), golden)
    return {
        "comparison.html": comparison_to_html(_compare("words", "stems")),
        "inconclusive.html": gate_to_html(be.gate(_compare("stems", "words"), margin=0.05)),
        "demo.html": comparison_to_html(demo.comparison, demo.gate, notes=questions_note(demo)),
        "quality.html": quality_to_html(quality),
    }


def _compare(baseline: str, candidate: str) -> be.Comparison:
    runs = {f"{name}.run": str(RUNS / f"{name}.run") for name in (baseline, candidate)}
    measures = ["nDCG@10", "P@5", "RR"]
    return be.compare(
        str(RUNS / "qrels.txt"), runs, measures, baseline=f"{baseline}.run", bounds=True
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in reports().items():
        (folder / name).write_text(page, encoding="utf-8")
        print(f"Wrote {folder / name}")
