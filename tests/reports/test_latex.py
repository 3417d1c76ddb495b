"""LaTeX tables."""

import berryeval as be
from berryeval.evaluation.headline import listing
from berryeval.reports.latex import comparison_to_latex, escape, evaluations_to_latex
from example_results import a_comparison, compare_these, example_data


def test_the_best_is_bold_and_results_are_marked():
    """A dagger means better than the baseline, a double one worse, as a note explains."""
    text = comparison_to_latex(a_comparison(80, {"base": 0.8, "good": 3.0, "bad": 0.0}))
    base, good, bad = [line for line in text.splitlines() if line.endswith(r"\\")][1:4]
    assert r"\textbf" not in base
    assert good.count(r"\textbf") == good.count(r"$^{\dagger}$") == 5
    assert bad.count(r"$^{\ddagger}$") > 0
    assert "nDCG@10 decides; its 2 candidates form one family." in text
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in text


def test_equal_figures_are_bold_together():
    """Values that round to the same figure are treated alike."""
    same = {"q1": ["d1"]}
    text = comparison_to_latex(compare_these({"q1": {"d1": 1}}, {"a": same, "b": same}))
    assert text.count(r"\textbf{1.0000}") == 2
    assert text.count(r"$^{\dagger}$") == 1  # only in the note


def test_evaluations_have_no_marks():
    """Nothing was compared."""
    text = evaluations_to_latex(a_comparison(20).evaluations)
    assert r"\begin{tabular}{lrrrrr}" in text
    assert "dagger" not in text


def test_without_named_measures_an_evaluation_has_one_row_per_cutoff():
    """E4: each run has a table with MRR above, then Recall, Precision, nDCG and Hit rate."""
    judgments, runs, _ = example_data(20)
    found = {name: be.evaluate(judgments, run) for name, run in runs.items()}
    text = evaluations_to_latex(found)
    assert text.count(r"    k & Recall & Precision & nDCG & Hit rate \\") == 2
    for name, result in found.items():
        assert rf"\textbf{{{name}: MRR {result['RR'].mean:.4f}}}" in text
        row = [f"{result[f'{measure}@5'].mean:.4f}" for measure in ("R", "P", "nDCG", "Success")]
        assert rf"    5 & {' & '.join(row)} \\" in text


def test_without_named_measures_a_comparison_has_one_column_per_system():
    """It has E4's quantities, and marks on those that are tested."""
    judgments, runs, _ = example_data(80)
    comparison = be.compare(judgments, runs)
    text = comparison_to_latex(comparison)
    assert rf"    Measure & {' & '.join(runs)} \\" in text
    rows = [line.split(" & ")[0].strip() for line in text.splitlines() if line.endswith(r"\\")]
    assert rows[1 : 1 + len(comparison.shown)] == [str(measure) for measure in comparison.shown]
    assert f"Measures tested: {listing([*map(str, comparison.measures)])}." in text


def test_special_characters_are_escaped():
    """A name cannot be a command."""
    assert escape(r"a_b & 100% {x} \y ~ ^ # $") == (
        r"a\_b \& 100\% \{x\} \textbackslash{}y \textasciitilde{} \textasciicircum{} \# \$"
    )
    assert escape("two\nlines") == "two lines"
