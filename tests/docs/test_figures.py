"""Times in prose are those of the generated benchmarks; `make reference` copies them."""

import front_figures
import pytest
from front_figures import DASH

BENCHMARKS = """
### 6,980 queries x 1,000 rows (264 MB), 40 judged per query (5.5 MB)

| whole process | best, s | x berryeval | peak memory, MB |
|---|---:|---:|---:|
| berryeval evaluate | 0.26 | 1 | 37 |
| trec_eval 9.0.4 | 9.09 | 35 | 543 |
| ranx | 24.63 | 96 | 2413 |

### 50,000 queries x 100 rows

| berryeval evaluate | 0.99 | 1 | 64 |
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "| [ranx](docs/how-to/a.md) | 1 s | a | b |",
            "| [ranx](docs/how-to/a.md) | 24.6 s | a | b |",
        ),
        (
            "| [Quepid](docs/how-to/a.md) | 3 s | a |",
            f"| [Quepid](docs/how-to/a.md) | {DASH} | a |",
        ),
        ("a run of seven million rows takes 9 s.", "a run of seven million rows takes 0.26 s."),
        (
            "| 7 million rows, from files | 1 s | 2 s |",
            f"| 7 million rows, from files | 0.26 s | 9.1 s | {DASH} | 24.6 s"
            + f" | {DASH}" * 3
            + " |",
        ),
        (
            "takes 1 s and 2 MB; others 3 s ([on two cores](a.md))",
            "takes 0.26 s and 37 MB; other tools take longer: trec_eval 9.1 s, ranx 24.6 s "
            "([on two cores](a.md))",
        ),
        ("| another | 1 s |", "| another | 1 s |"),
    ],
)
def test_times_are_copied_from_the_benchmarks(text, expected):
    """A tool that was not measured has a dash; other rows and numbers are kept."""
    assert front_figures.with_times(text, BENCHMARKS) == expected


@pytest.mark.parametrize("name", front_figures.FRONT)
def test_every_front_page_has_a_time(name):
    """Otherwise, there would be nothing to update."""
    page = front_figures.DOCS / "reference" / name
    changed = BENCHMARKS.replace("0.26", "0.11")
    assert "0.11 s" in front_figures.with_times(page.read_text(encoding="utf-8"), changed)


def test_shares_of_measures_are_copied_from_the_benchmarks():
    """The page about diversity names both columns of its row."""
    text = "They take 2.0 times as long as `nDCG` with 5 intents, and 7 times with 10 intents."
    assert front_figures.with_shares(text, "| `alpha_nDCG@100` | 2.9 | 8.9 |") == (
        "They take 2.9 times as long as `nDCG` with 5 intents, and 8.9 times with 10 intents."
    )
    page = front_figures.DOCS / "reference" / front_figures.DIVERSITY_PAGE
    changed = front_figures.with_shares(page.read_text("utf-8"), "| `alpha_nDCG@100` | 1 | 77 |")
    assert "77 times" in changed
