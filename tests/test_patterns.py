"""Hostile texts: the time of a regular expression is proportional to the length of the text."""

import ast
import importlib
import re
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from berryeval.errors import BerryEvalError
from berryeval.evaluation.guards import Margin
from berryeval.measures import parse_measures
from berryeval.search.exchange import shown_address
from berryeval.search.systems.opensearch.query_template import QueryTemplate

SOURCE = Path(__file__).parents[1] / "src"
METHODS = {"match", "fullmatch", "search", "sub", "findall", "finditer"}
OURS = {"charts/chart.py", "service/reference_page.py"}  # they read only texts of the project
SHORT, LONG = 250, 2000
TOO_STEEP = 24  # proportional is 8, quadratic 64


def uses():
    """Iterate over all patterns of the source, each with a method that is called on it."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.relative_to("berryeval").as_posix() in OURS:
            continue
        module = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        if "import re\n" not in text:
            continue
        tree = ast.parse(text)
        for call in ast.walk(tree):
            if is_of_re(call):
                pattern = ", ".join(map(ast.unparse, (call.args[0], *flags_of(call))))
                for method in sorted(methods_of(tree, call)):
                    yield pytest.param(module, pattern, method, id=f"{path.stem}-{pattern[:40]}")


def is_of_re(node):
    """Whether a node calls a function of the module `re`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    )


def flags_of(call):
    if call.func.attr == "compile":
        return call.args[1:]
    return [keyword.value for keyword in call.keywords if keyword.arg == "flags"]


def methods_of(tree, call):
    """Return the methods called on a pattern, by its name; or else on any pattern of its module."""
    if call.func.attr != "compile":
        return {call.func.attr}
    named = [node for node in tree.body if isinstance(node, ast.Assign) and node.value is call]
    names = {ast.unparse(node.targets[0]) for node in named}
    used = [
        (ast.unparse(node.value), node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in METHODS
    ]
    return {method for name, method in used if name in names} or {method for _, method in used}


def hostile_texts(source):
    """Return functions of a length: parts of a pattern, repeated, and an end that fits none."""
    words = re.findall(r"[A-Za-z]{2,}|[^\w\s]", source)
    escaped = [one.replace("\\", "") for one in re.findall(r"(?:\\[^\w\s]){2,}", source)]
    atoms = [*{*words, *escaped, "a", "1", " ", "\n"}]
    starts = [*product(["", *atoms], atoms), *(("", a + b) for a, b in product(atoms, atoms))]
    return [
        lambda length, start=start, unit=unit: start + unit * (length // len(unit)) + "\0\nz"
        for start, unit in starts
    ]


def is_steep(function, text):
    """Whether eight times the text takes far more than eight times as long, at each of 20 tries."""
    times = {SHORT: float("inf"), LONG: float("inf")}
    for _ in range(20):
        for length, best in times.items():
            given = text(length)
            began = time.thread_time()
            function(given)
            times[length] = min(best, time.thread_time() - began)
        if times[LONG] < TOO_STEEP * times[SHORT]:
            return False
    return True


@pytest.mark.parametrize(("module", "pattern", "method"), [*uses()])
def test_no_pattern_backtracks(module, pattern, method):
    """Eight times the text takes about eight times as long, for repetitions of all its parts."""
    scope = vars(importlib.import_module(module))
    compiled = eval(f"re.compile({pattern})", {"re": re}, scope)  # noqa: S307
    is_text = isinstance(compiled.pattern, str)
    method = "findall" if method == "finditer" else method  # finditer does nothing until it is read
    call = getattr(compiled, method)

    def search(text):
        given = text if is_text else text.encode()
        return call(given[:0], given) if method == "sub" else call(given)

    for text in hostile_texts(compiled.pattern if is_text else compiled.pattern.decode("latin-1")):
        assert not is_steep(search, text), text(40)


@pytest.mark.parametrize(
    ("read", "start", "unit"),
    [
        (Margin.parse, "1", " "),
        (Margin.parse, "", "1"),
        (Margin.parse, "1 %", " "),
        (parse_measures, "P(rel=", "1"),
        (parse_measures, "a", "1"),
        (parse_measures, "a", "-l1"),
        (shown_address, "http://h?", "?key"),
        (shown_address, "http://h", "//"),
        (shown_address, "http://h?key=", "?key="),
        (QueryTemplate, '{"', '\\"'),
        (QueryTemplate, "{", "{{ "),
    ],
)
def test_hostile_texts_are_read_in_proportional_time(read, start, unit):
    """This covers margins, measures, addresses and templates, valid or not."""

    def rejected(text):
        with suppress(BerryEvalError):
            read(text)

    assert not is_steep(rejected, lambda length: f"{start}{unit * length}x")
