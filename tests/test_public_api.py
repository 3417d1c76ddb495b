"""The public API, and the cost of importing it."""

import ast
import importlib
import json
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import berryeval
from berryeval import errors, stats
from berryeval.errors import (
    DisagreementError,
    ScaleError,
    SystemTimeoutError,
    SystemUnderTestError,
    TrecEvalError,
)

HEAVY = ("numpy", "scipy", "rich", "pyarrow", "pandas", "polars")


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded after code ran in a new interpreter."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import berryeval",
        "import berryeval.charts; berryeval.charts.Chart; berryeval.charts.forest_plot",
        "import berryeval.ranking",
        "from berryeval.cli import main; main(['version'], standalone_mode=False)",
        "from berryeval.cli import main; main(['version', '--json'], standalone_mode=False)",
        "from berryeval.cli import main; main(['measures'], standalone_mode=False)",
        "import berryeval as be; be.evaluate({'q': {'d': 1}}, {'q': ['d']})",
    ],
)
def test_light_imports_load_nothing_heavy(code):
    """The package, and commands without arithmetic, do not import big libraries."""
    assert not loaded_by(code) & set(HEAVY)


@pytest.mark.parametrize(
    "more", [[], ["--json"], ["-q"], ["--format", "latex"], ["--history", "h"]]
)
def test_evaluating_files_loads_nothing_heavy(more, tmp_path, monkeypatch):
    """The command that scores a run starts quickly in every format."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 x\n")
    arguments = ["evaluate", "qrels", "run", *more]
    code = f"from berryeval.cli import main; main({arguments}, standalone_mode=False)"
    assert not loaded_by(code) & set(HEAVY)


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "qrels", "old", "new"],
        ["compare", "qrels", "old", "new", "--test", "sign", "--test", "randomisation"],
        ["compare", "qrels", "old", "new", "-o", "report.html"],
        ["gate", "--judgments", "qrels", "--run", "new", "--baseline", "old",
         "--margin", "nDCG@10=0.5", "--report", "gate.html"],
    ],
    ids=["compare", "tests", "html", "gate"],
)  # fmt: skip
def test_deciding_does_not_load_scipy_stats(arguments, tmp_path, monkeypatch):
    """It takes longer to import than a comparison takes; `scipy.special` is enough."""
    monkeypatch.chdir(tmp_path)
    queries = range(20)
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 d1 1\n" for i in queries))
    for name, shift in (("old", 0), ("new", 1)):
        rows = (f"q{i} Q0 d{1 + (i + shift) % 2} 1 2 x\nq{i} Q0 d9 2 1 x\n" for i in queries)
        (tmp_path / name).write_text("".join(rows))
    code = (
        "from berryeval.cli import main\n"
        f"try: main({arguments}, standalone_mode=False)\n"
        "except SystemExit: pass"
    )
    loaded = loaded_by(code)
    assert "scipy.special" in loaded
    assert "scipy.stats" not in loaded


def test_arrays_load_numpy_only_when_used():
    """The lazy attribute works, and imports NumPy."""
    assert "numpy" in loaded_by("import berryeval; berryeval.metrics")


def test_every_public_name_resolves():
    """Each name of __all__ can be accessed, with the same result each time."""
    for name in berryeval.__all__:
        assert getattr(berryeval, name) is getattr(berryeval, name), name


def test_editors_know_the_public_names():
    """The stub has exactly the public names."""
    stub = ast.parse(Path(berryeval.__file__).with_name("__init__.pyi").read_text("utf-8"))
    known = {
        alias.asname
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert known | {"__version__"} == set(berryeval.__all__)


def test_an_unknown_name_is_an_attribute_error():
    """The error is Python's own."""
    with pytest.raises(AttributeError, match="no attribute 'metrcs'"):
        _ = berryeval.metrcs


@pytest.mark.parametrize(
    ("old", "new"),
    [("BackendError", SystemUnderTestError), ("BackendTimeout", SystemTimeoutError)],
)
def test_old_names_still_work(old, new):
    """A warning names the new one, in the package and in its errors."""
    for module in (berryeval, errors):
        with pytest.warns(DeprecationWarning, match=f"{old} is now called {new.__name__}"):
            assert getattr(module, old) is new


def test_statistics_export_no_helpers():
    """Constants, checks and sums are imported from their own modules."""
    checks = [name for name in stats.__all__ if name.startswith("check_")]
    assert checks == ["check_judge"]  # its "check" is one of a judge, not of an argument
    assert not [name for name in stats.__all__ if name.isupper()]
    assert not {"sums_of", "means_of", "deviations_of", "flipped_means"} & set(stats.__all__)


def test_dir_lists_the_public_names():
    """Completion in a REPL shows them."""
    assert dir(berryeval) == sorted(berryeval.__all__)


def modules() -> list[str]:
    found = pkgutil.walk_packages(berryeval.__path__, "berryeval.")
    return [module.name for module in found if not module.name.endswith(("__main__", "_native"))]


def undocumented(name: str) -> list[str]:
    """Return the module, and the names of its __all__, if they have no docstring."""
    module = importlib.import_module(name)
    found = [] if module.__doc__ else [name]
    for public in getattr(module, "__all__", ()):
        value = getattr(module, public)
        is_ours = callable(value) and getattr(value, "__module__", "").startswith("berryeval")
        found += [f"{name}.{public}"] if is_ours and not value.__doc__ else []
    return found


def test_every_module_is_documented_and_exports_existing_names():
    """Modules, and all names of __all__, have a docstring."""
    names = modules()
    assert len(names) > 500
    assert not [one for name in names for one in undocumented(name)]


@pytest.mark.parametrize(
    "error",
    [
        berryeval.ArchiveError("berryeval.db", "is locked", transient=True),
        berryeval.ArgumentError("k", "an integer, at least 1", "0"),
        berryeval.SystemUnderTestError("postgres", "the connection broke", transient=True),
        berryeval.SystemTimeoutError("http", "no answer within 30 s"),
        berryeval.InputTypeError("k", "an integer, at least 1", "None"),
        berryeval.FormatError.unexpected("6 columns", "5", "bm25.run", 1412, way_out="cut it"),
        berryeval.MismatchError("query 'q7' is judged but missing from the run"),
        berryeval.ConflictError("judgment of 'd1' for 'q1'", "revision 3", "revision 4"),
        DisagreementError("q1", "d1", "team"),
        ScaleError("q1", "d1", 7, 3),
        berryeval.MissingExtraError("Reading zstd", "zstd"),
        berryeval.NotFoundError("run", "3f6b"),
        berryeval.ServiceError("http://127.0.0.1:8765", "asks for a token", 401, "unauthorized"),
        berryeval.MeasureSyntaxError("P@x", "a cutoff", "'x'", "P@10"),
        berryeval.UnknownMeasureError("ndgc", "nDCG", ("nDCG",)),
        TrecEvalError("illegal measure 'ndgc'", 1),
    ],
)
def test_errors_can_be_sent_between_processes(error):
    """A worker process can return an error with its facts."""
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_errors_belong_to_the_tree():
    """All can be caught as BerryEvalError, and as Python's own types."""
    assert issubclass(berryeval.ArgumentError, berryeval.InputError)
    assert issubclass(berryeval.AnswerError, berryeval.SystemUnderTestError)
    assert issubclass(berryeval.SystemTimeoutError, berryeval.SystemUnderTestError)
    assert issubclass(berryeval.InputError, (berryeval.BerryEvalError, ValueError))
    assert issubclass(berryeval.InputTypeError, (berryeval.BerryEvalError, TypeError))
    assert issubclass(berryeval.MeasureSyntaxError, berryeval.InputError)
    assert issubclass(berryeval.UnknownMeasureError, berryeval.InputError)
