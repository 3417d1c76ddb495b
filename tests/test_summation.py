"""Sums run in the order of the queries: no module leaves the order to NumPy or to Python.

`ndarray.sum` adds pairwise, `np.dot` as the processor likes, and the built-in `sum` compensates
from Python 3.12 on: the last digit of a mean, and with it a verdict on the edge, would depend on
versions and machines. `berryeval.stats` has `sums_of`, `means_of` and `deviations_of`,
`berryeval.evaluation.sampling.Sampling` has `mean`, and `functools.reduce` with `operator.add` adds
one after the other.
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
ELSEWHERE = ("search",)
"""Scores there are those of a system under test, which is nobody's specification."""

EXACT = "exact, so its order does not matter"
WHOLE = "of whole numbers"
EXCEPTIONS = {
    ("archive/queries.py", "sum"): "SQL",
    ("charts/svg.py", "sum"): "widths of letters",
    ("cli/measures.py", "sum"): WHOLE,
    ("core/scores.py", "sum"): WHOLE,
    ("engine/_selection.py", "sum"): WHOLE,
    ("evaluation/explain/result.py", "fsum"): EXACT,
    ("evaluation/explain/shares.py", "fsum"): EXACT,
    ("evaluation/query_figures.py", "sum"): WHOLE,
    ("evaluation/repeats.py", "fsum"): EXACT,
    ("formats/facts.py", "sum"): WHOLE,
    ("golden/check.py", "sum"): WHOLE,
    ("reports/terminal.py", "sum"): WHOLE,
    ("service/demo/rankings.py", "sum"): "of sorted numbers, for an invented system",
    ("service/workbench/state/agreement.py", "sum"): WHOLE,
    ("service/workbench/pages/judgments/policy.py", "sum"): WHOLE,
    ("stats/agreement.py", "sum"): WHOLE,
    ("stats/similarity.py", "dot"): WHOLE,
}


def modules():
    paths = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return [path.as_posix() for path in paths if path.parts[0] not in ELSEWHERE]


def is_count(call):
    """Tell whether a call of sum() adds whole numbers: of a test, a length, or the number 1."""
    [argument, *_] = call.args
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
        return is_whole(argument.elt)
    return (
        isinstance(argument, ast.Call)
        and name_of(argument.func) == "map"
        and name_of(argument.args[0]) == "len"
    )


def is_whole(added):
    """Tell whether an expression is a test or a count, by its form or by its name."""
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
    """Tell whether an object is a Sampling, by its name: its mean adds up in order."""
    return name_of(node) == "sampling"


def imported_sums(tree):
    """Return the names under which a module has functions of libraries that add floats up."""
    return {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES
        for one in node.names
        if one.name in UNORDERED
    }


def unordered_sums(tree):
    """Return the calls of a module that add up floats in an order that is not stated."""
    imported = imported_sums(tree)
    for node in ast.walk(tree):
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


@pytest.mark.parametrize("module", modules())
def test_sums_run_in_a_stated_order(module):
    """Means and spreads come from one place, which adds one query after the other."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    found = [
        f"{module}:{line}: {name}"
        for name, line in unordered_sums(tree)
        if (module, name) not in EXCEPTIONS
    ]
    assert not found


def test_no_exception_is_stale():
    """Each is a call that is there; a list that only grows hides the next one."""
    used = {
        (module, name)
        for module in modules()
        for name, _ in unordered_sums(ast.parse((SOURCE / module).read_text(encoding="utf-8")))
    }
    assert EXCEPTIONS.keys() <= used


def test_templates_and_scripts_add_nothing_up():
    """A page formats: a filter that adds, or a running total in a script, is a computation."""
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
    """In each of its forms."""
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
def test_a_count_is_no_sum_of_floats(source):
    """And what adds one after the other is no fault."""
    assert not list(unordered_sums(ast.parse(source)))
