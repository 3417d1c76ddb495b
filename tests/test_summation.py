"""Sums have the order of the queries: no module leaves the order to NumPy or to Python.

`ndarray.sum` adds pairwise, `np.dot` in an order that depends on the processor, and the built-in
`sum` compensates since Python 3.12: the last digit of a mean, and with it a borderline verdict,
would depend on versions and machines. Use `sums_of`, `means_of` and `deviations_of` of
`berryeval.stats`, `Sampling.mean` of `berryeval.evaluation.sampling`, or `functools.reduce` with
`operator.add`, which adds one number at a time. Powers above the square are products for the same
reason: the last bit of `array**4` depends on the processor, and even on the sign of the number.
"""

import ast
import re
from pathlib import Path

import pytest

import berryeval

SOURCE = Path(berryeval.__file__).parent
UNORDERED = {
    *("average", "corrcoef", "cov", "dot", "einsum", "fmean", "fsum", "geometric_mean", "inner"),
    *("matmul", "mean", "nanmean", "nanstd", "nansum", "nanvar", "norm", "pstdev", "pvariance"),
    *("std", "stdev", "sum", "sumprod", "tensordot", "trapezoid", "var", "variance", "vdot"),
}
LIBRARIES = {"math", "numpy", "scipy", "statistics"}
ELSEWHERE = ("examples", "search")
"""Scores in these folders are those of systems under test, which have no specification."""

EXACT = "exact, so its order does not matter"
WHOLE = "of whole numbers"
PEER = "as the tool adds whose values it has to give"
EXCEPTIONS = {
    ("archive/admissions.py", "sum"): WHOLE,
    ("archive/judgments/imports.py", "sum"): WHOLE,
    ("archive/model_grades.py", "sum"): "SQL, of whole numbers",
    ("archive/projects/records.py", "sum"): "of whole numbers, and of times",
    ("archive/projects/selecting.py", "fsum"): EXACT,
    ("archive/queries.py", "sum"): "SQL",
    ("charts/svg.py", "sum"): "widths of letters",
    ("cli/_golden_queries.py", "sum"): WHOLE,
    ("cli/measures.py", "sum"): WHOLE,
    ("compat/pytrec_eval.py", "mean"): PEER,
    ("compat/pytrec_eval.py", "sum"): PEER,
    ("core/scores.py", "sum"): WHOLE,
    ("engine/_selection.py", "sum"): WHOLE,
    ("evaluation/attribution.py", "fsum"): EXACT,
    ("evaluation/explain.py", "fsum"): EXACT,
    ("evaluation/hole_effects.py", "sum"): WHOLE,
    ("evaluation/overlap.py", "fsum"): EXACT,
    ("evaluation/partitions.py", "sum"): WHOLE,
    ("evaluation/query_figures.py", "sum"): WHOLE,
    ("evaluation/repeats.py", "fsum"): EXACT,
    ("evaluation/sampled.py", "fsum"): EXACT,
    ("evaluation/sessions.py", "fsum"): EXACT,
    ("evaluation/whole_runs.py", "fsum"): EXACT,
    ("formats/_arrow_files.py", "sum"): WHOLE,
    ("formats/facts.py", "sum"): WHOLE,
    ("golden/check.py", "sum"): WHOLE,
    ("judges/chat.py", "sum"): WHOLE,
    ("judges/sampling.py", "sum"): WHOLE,
    ("kernels/sampling_variance.py", "fsum"): EXACT,
    ("kernels/sampling_variance.py", "sum"): WHOLE,
    ("reports/judging.py", "sum"): WHOLE,
    ("reports/terminal.py", "sum"): WHOLE,
    ("service/agreement.py", "sum"): WHOLE,
    ("service/demo/rankings.py", "sum"): "of sorted numbers, for an invented system",
    ("service/workbench/state/comparisons.py", "sum"): WHOLE,
    ("service/workbench/state/rescoring.py", "sum"): WHOLE,
    ("service/workbench/state/run_summaries.py", "sum"): WHOLE,
    ("service/workbench/pages/imports/kinds.py", "sum"): WHOLE,
    ("service/workbench/pages/judgments/policy.py", "sum"): WHOLE,
    ("stats/label_allocation.py", "sum"): WHOLE,
    ("stats/similarity.py", "dot"): WHOLE,
    ("suite/judge_check.py", "sum"): "for the size of a sample",
    ("suite/judge_overview.py", "sum"): WHOLE,
    ("suite/judging.py", "sum"): WHOLE,
}


def modules():
    paths = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return [path.as_posix() for path in paths if path.parts[0] not in ELSEWHERE]


def is_count(call):
    """Return whether a call of sum() adds whole numbers: a test, a length, or the number 1."""
    [argument, *_] = call.args
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
        return is_whole(argument.elt)
    return (
        isinstance(argument, ast.Call)
        and name_of(argument.func) == "map"
        and name_of(argument.args[0]) == "len"
    )


def is_whole(added):
    """Return whether an expression is a test or a count, by its form or by its name."""
    if isinstance(added, ast.Constant):
        return isinstance(added.value, int)
    if isinstance(added, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(added, ast.Call):
        name = name_of(added.func)
        return name in {"bool", "isinstance", "len"} or name.startswith(("n_", "_n_"))
    return name_of(added).startswith(("is_", "n_", "st_"))


def name_of(node):
    return getattr(node, "attr", getattr(node, "id", ""))


def is_sampling(node):
    """Return whether an object is a Sampling, by its name: its mean adds up in order."""
    return name_of(node) == "sampling"


def imported_sums(nodes):
    """Return the names under which a module imports library functions that add floats."""
    return {
        one.asname or one.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES
        for one in node.names
        if one.name in UNORDERED
    }


def unordered_sums(tree):
    """Return the calls of a module that add floats in an unspecified order."""
    nodes = [*ast.walk(tree)]
    imported = imported_sums(nodes)
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield "@", node.lineno
        if not isinstance(node, ast.Call):
            continue
        name = name_of(node.func)
        if isinstance(node.func, ast.Attribute):
            if name in UNORDERED and not is_sampling(node.func.value):
                yield name, node.lineno
            elif name in {"reduce", "reduceat"} and name_of(node.func.value) == "add":
                yield f"add.{name}", node.lineno
        elif name in imported or (name == "sum" and not is_count(node)):
            yield name, node.lineno


@pytest.fixture(scope="module")
def trees():
    """The parsed modules."""
    return {name: ast.parse((SOURCE / name).read_text(encoding="utf-8")) for name in modules()}


@pytest.fixture(scope="module")
def sums(trees):
    """Module, function and line of every sum of floats in an unspecified order."""
    return [(name, *found) for name, tree in trees.items() for found in unordered_sums(tree)]


def test_sums_have_a_fixed_order(trees, sums):
    """Means and spreads come from one place, which adds one query at a time."""
    assert len(trees) > 500
    assert not [
        f"{module}:{line}: {name}"
        for module, name, line in sums
        if (module, name) not in EXCEPTIONS
    ]


def higher_powers(tree):
    """Return the lines of a module with a constant power above 2."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and not isinstance(node.left, ast.Constant)
        and isinstance(node.right, ast.Constant)
        and node.right.value in range(3, 10)
    ]


def test_powers_are_products(trees):
    """NumPy computes a square as a product, but higher powers depend on the processor."""
    assert higher_powers(ast.parse("x**4")) == [1]
    assert not higher_powers(ast.parse("x**2 + 10**6"))
    of_stats = {name: tree for name, tree in trees.items() if name.startswith("stats/")}
    assert len(of_stats) > 10
    found = {name: higher_powers(tree) for name, tree in of_stats.items()}
    assert not {name: lines for name, lines in found.items() if lines}


def test_no_exception_is_stale(sums):
    """Each exception matches an existing call."""
    assert EXCEPTIONS.keys() <= {(module, name) for module, name, _ in sums}


def test_templates_and_scripts_do_not_add_numbers():
    """Pages only format; sums in a filter or script are computations."""
    pages = [path for ending in ("html", "js") for path in SOURCE.rglob(f"*.{ending}")]
    found = [
        path.name
        for path in pages
        if re.search(r"\|\s*(sum|map\(.*\)\s*\|\s*sum)\b", path.read_text(encoding="utf-8"))
        or re.search(r"reduce\(\((\w+), (\w+)\) => \1 \+", path.read_text(encoding="utf-8"))
    ]
    assert len(pages) > 50
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        "x.mean()",
        "x.mean(axis=0)",
        "np.sum(x)",
        "np.average(x, weights=w)",
        "np.dot(x, y)",
        "np.add.reduce(x)",
        "np.linalg.norm(x)",
        "x @ y",
        "sum(scores)",
        "sum(found.values())",
        "sum(score for score in scores)",
        "sum(grade * n for grade, n in grades.items())",
        "sum([0.1, 0.2])",
        "math.fsum(x)",
        "from statistics import fmean as m; m(x)",
        "from math import fsum; fsum(x)",
        "statistics.mean(x)",
    ],
)
def test_an_unordered_sum_would_be_found(source):
    """Each of its forms is detected."""
    assert len(list(unordered_sums(ast.parse(source)))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "sum(1 for x in y)",
        "sum(x > 1 for x in y)",
        "sum(len(x) for x in y)",
        "sum(map(len, x))",
        "sum(one.n_rows for one in runs)",
        "sum(isinstance(x, int) for x in y)",
        "reduce(add, scores, 0.0)",
        "means_of(scores)",
        "sampling.mean(scores)",
        "pair.sampling.mean(scores)",
    ],
)
def test_a_count_is_not_a_sum_of_floats(source):
    """Ordered additions are not reported, either."""
    assert not list(unordered_sums(ast.parse(source)))
