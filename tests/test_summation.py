"""Sums run in the order of the queries: no module leaves the order to NumPy or to Python.

`ndarray.sum` adds pairwise, `np.dot` as the processor likes, and the built-in `sum` compensates
from Python 3.12 on: the last digit of a mean, and with it a verdict on the edge, would depend on
versions and machines. `berryeval.stats` has `sums_of`, `means_of` and `deviations_of`.
"""

import ast
from pathlib import Path

import pytest

import berryeval

SOURCE = Path(berryeval.__file__).parent
UNORDERED = {
    *("average", "dot", "einsum", "fsum", "matmul", "mean", "nanmean", "nansum", "std", "sum"),
    *("trapezoid", "var", "vdot"),
}
ROOMS = (
    *("archive", "cli", "core", "engine", "evaluation", "golden", "kernels", "measures"),
    *("metrics", "pytest_plugin", "reports", "service", "stats", "suite"),
)
"""Where scores are made or shown; in `search` they are those of a system under test."""

COUNTING = {"bool", "isinstance", "len"}
"""Functions whose results are whole numbers."""

EXCEPTIONS = {
    ("archive/queries.py", "sum"): "SQL",
    ("evaluation/explain/result.py", "fsum"): "exact, so its order does not matter",
    ("evaluation/explain/shares.py", "fsum"): "exact, so its order does not matter",
    ("evaluation/noise.py", "fsum"): "exact, so its order does not matter",
    ("reports/terminal.py", "sum"): "of widths in characters",
    ("stats/similarity.py", "dot"): "of whole numbers",
}


def modules():
    return sorted(
        path.relative_to(SOURCE).as_posix()
        for room in ROOMS
        for path in (SOURCE / room).rglob("*.py")
    )


def is_count(call):
    """Tell whether a call of sum() adds whole numbers: of a test, a length, or the number 1."""
    [argument, *_] = call.args or [None]
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
        added = argument.elt
        names = {node.id for node in ast.walk(added) if isinstance(node, ast.Name)}
        return (
            isinstance(added, (ast.Compare, ast.BoolOp, ast.Constant))
            or (isinstance(added, ast.UnaryOp) and isinstance(added.op, ast.Not))
            or (isinstance(added, ast.Call) and getattr(added.func, "id", "") in COUNTING)
            or (isinstance(added, ast.Attribute) and added.attr.startswith(("is_", "n_", "st_")))
            or any(name.startswith(("n_", "times", "count")) for name in names)
            or (isinstance(added, ast.Call) and _name(added.func).startswith(("_n_", "n_")))
        )
    return True


def _name(function):
    return getattr(function, "attr", getattr(function, "id", ""))


def unordered_sums(tree):
    """Return the calls of a module that add up floats in an order that is not stated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in UNORDERED:
                yield node.func.attr, node.lineno
            elif isinstance(node.func, ast.Name) and node.func.id == "sum" and not is_count(node):
                yield "sum", node.lineno
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield "@", node.lineno


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


def test_an_unordered_sum_would_be_found():
    """In each of its forms, and no count is taken for one."""
    source = "x.mean(); np.sum(x); np.dot(x, y); x @ y; sum(score for score in scores)"
    assert len(list(unordered_sums(ast.parse(source)))) == 5
    counts = "sum(1 for x in y); sum(x > 1 for x in y); sum(len(x) for x in y); sum(n_rows)"
    assert not list(unordered_sums(ast.parse(counts)))
