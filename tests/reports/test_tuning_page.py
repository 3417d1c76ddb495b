"""The page of a tuned fusion."""

import berryeval as be
from berryeval.reports.html.tuning_page import tuning_to_html

JUDGMENTS = {f"q{n}": {"a": 1} for n in range(9)}
RUNS = {
    "<words>": {query: {"a": 1.0, "b": 2.0} for query in JUDGMENTS},
    "vectors": {query: {"a": 5.0, "b": 1.0} for query in JUDGMENTS},
}


def page_of(*methods):
    return tuning_to_html(be.tune_fusion(JUDGMENTS, RUNS, "RR@5", methods=methods, n_folds=3))


def test_the_page_starts_with_the_result():
    """Held-out and training means are next to the best single run; names are escaped."""
    page = page_of("wsum")
    assert "Tuned fusion of &lt;words&gt;, vectors · 9 queries" in page
    assert "<words>" not in page
    for name, mean in (("Held-out folds", 1), ("Training folds", 1), ("vectors alone", 1)):
        assert f'<dt>{name}</dt><dd><div class="figure">{mean:.4f}</div>' in page
    assert page.count('class="chart weights"') == 2, "for wide and for narrow screens"


def test_methods_without_weights_have_no_chart():
    """The tables remain."""
    page = page_of("isr")
    assert "<figure" not in page
    assert "<h2>Candidates</h2>" in page
