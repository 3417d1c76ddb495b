"""berryeval.toml: valid and invalid settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from berryeval import FormatError
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.measures import parse_measure
from berryeval.suite.settings import Settings, find_settings, read_settings

FULL = """
judgments = "golden/judgments.jsonl"
queries = "golden/queries.json"
run = "runs/candidate.run"
baseline = "/srv/main.json"
timings = "-"
history = "history.jsonl"
corpus = "docs v2"
judges = "max"
max_grade = 3
pool_depth = 10

[gate]
alpha = 0.01
inconclusive = 0
inference = "set"
holes = "inconclusive"
smallest_slice = 5
allow_other_corpus = true

[[gate.guard]]
measure = "RR@10"
at_least = 0.70
confident = true

[[gate.guard]]
measure = "nDCG@10"
at_least = 1
margin = "2%"
slices = ["category", "tag", "category"]

[[gate.guard]]
latency = "p99.9"
at_most_ms = 200
"""


def read(tmp_path, text, name="berryeval.toml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(path)


def test_all_settings_are_read(tmp_path, monkeypatch):
    """Paths are relative to the file; -, absolute paths and names are kept."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    found = read(tmp_path / "a", FULL)
    assert found.judgments == str(Path("a/golden/judgments.jsonl"))
    assert (found.baseline, found.timings) == ("/srv/main.json", "-")
    gate = found.gate
    assert (found.corpus, found.judges) == ("docs v2", "max")
    assert (gate.max_grade, gate.pool_depth) == (3, 10)
    assert (gate.alpha, gate.inconclusive) == (0.01, 0)
    assert (gate.inference, gate.holes, gate.smallest_slice) == ("set", "inconclusive", 5)
    assert gate.allow_other_corpus
    ndcg, labels = parse_measure("nDCG@10"), ("category", "tag")
    assert gate.guards == (
        ThresholdGuard(parse_measure("RR@10"), 0.70, is_confident=True),
        ThresholdGuard(ndcg, 1, slices=labels),
        MarginGuard(ndcg, Margin(0.02, is_relative=True), labels),
        LatencyGuard(99.9, 200),
    )


def test_settings_of_a_system_become_text(tmp_path, monkeypatch):
    """They have the form of the command line, and files are relative to the settings file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    text = """
system = "opensearch:http://h/docs"
[system_settings]
mode = "bm25"
weights = [1, 0.5]
depth = 50
approximate = false
template = "query.json"
vector_cache = "vectors.db"
"""
    found = read(tmp_path / "a", text).system_settings
    assert found == {
        "mode": "bm25",
        "weights": "1,0.5",
        "depth": "50",
        "approximate": "no",
        "template": str(Path("a/query.json")),
        "vector_cache": str(Path("a/vectors.db")),
    }
    plain = read(tmp_path, '[system_settings]\ntemplate = \'{"q": "{{query}}"}\'\n')
    assert plain.system_settings == {"template": '{"q": "{{query}}"}'}
    with pytest.raises(FormatError, match=r"system_settings\.x: expected text or a number, got {}"):
        read(tmp_path, "[system_settings.x]\n")


def test_named_systems_have_the_same_settings(tmp_path):
    """`[systems.NAME]` accepts the values of `[system_settings]`, with relative files."""
    settings = 'template = "search/products.json"\nweights = [1, 0.5]\nk = 3\napproximate = false\n'
    (tmp_path / "a").mkdir()
    own = 'system = "opensearch:http://x/y"\nheaders = {Authorization = "x"}\ndsn = "d"\n'
    found = read(tmp_path / "a", f"[system_settings]\n{settings}[systems.shop]\n{own}{settings}")
    assert found.systems["shop"] == {
        "system": "opensearch:http://x/y",
        "headers": {"Authorization": "x"},
        "dsn": "d",
        **found.system_settings,
    }
    assert found.system_settings["template"] == str(tmp_path / "a" / "search/products.json")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = {}", r"systems\.shop\.x: expected text or a number, got {}"),
        ("dsn = 1", r"systems\.shop\.dsn: expected text, got 1"),
        ("headers = 1", r"systems\.shop\.headers: expected a table, got 1"),
        ("headers = {a = 1}", r"systems\.shop\.headers\.a: expected text, got 1"),
    ],
)
def test_tables_of_systems_are_checked(tmp_path, line, expected):
    """The error names the key."""
    with pytest.raises(FormatError, match=expected):
        read(tmp_path, f'[systems.shop]\nsystem = "bm25"\n{line}\n')


def test_an_empty_file_has_default_settings(tmp_path):
    """They are the same as without a file."""
    assert replace(read(tmp_path, ""), folder=None) == Settings()


def test_paths_from_another_folder_are_absolute(tmp_path, monkeypatch):
    """The file may be above or next to the working directory."""
    (tmp_path / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "down")
    assert read(tmp_path, 'run = "a.run"').run == str(tmp_path / "a.run")


def test_paths_next_to_the_file_stay_short(tmp_path, monkeypatch):
    """They stay as the user wrote them."""
    monkeypatch.chdir(tmp_path)
    Path("berryeval.toml").write_text('run = "runs/a.run"')
    assert read_settings("berryeval.toml").run == "runs/a.run"
    assert find_settings().run == str(Path("runs/a.run"))


def test_the_nearest_file_is_found(tmp_path, monkeypatch):
    """It is searched for upwards; a pyproject.toml without our table is skipped."""
    (tmp_path / "berryeval.toml").write_text('corpus = "above"')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert find_settings().corpus == "above"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.berryeval]\ncorpus = "project"\n')
    assert find_settings().corpus == "project"
    (tmp_path / "a" / "berryeval.toml").write_text('corpus = "own"')
    assert find_settings().corpus == "own"
    assert find_settings(tmp_path).corpus == "above"


def test_without_a_file_settings_are_defaults(tmp_path, monkeypatch):
    """No file exists up to the root."""
    monkeypatch.setattr(Path, "is_file", lambda _: False)
    assert find_settings(tmp_path) == Settings()


def test_the_table_in_pyproject_is_read(tmp_path):
    """It is [tool.berryeval]."""
    text = '[tool.berryeval.gate]\nalpha = 0.1\n[[tool.berryeval.gate.guard]]\nmeasure = "P@5"\n'
    found = read(tmp_path, text + "at_least = 0.5\n", "pyproject.toml")
    assert (found.gate.alpha, len(found.gate.guards)) == (0.1, 1)


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nberryeval = 3", "[tool.ruff]"])
def test_a_pyproject_without_the_table_has_no_settings(tmp_path, text):
    """It is an error only if the file is named explicitly."""
    with pytest.raises(FormatError, match=r"expected a table \[tool.berryeval\], found none"):
        read(tmp_path, text, "pyproject.toml")
    if "berryeval" not in text:
        (tmp_path / "sub").mkdir()
        assert find_settings(tmp_path / "sub").corpus is None


GUARD = '[[gate.guard]]\nmeasure = "P@5"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('judgements = "x"', "judgements: unknown key; did you mean 'judgments'?"),
        (
            "zzz = 1",
            "zzz: unknown key; known keys are judgments, queries, run, documents, questions",
        ),
        ("[gate]\nalhpa = 0.1", "gate.alhpa: unknown key; did you mean 'alpha'?"),
        (GUARD + "at_lest = 1", "gate.guard 1: at_lest: unknown key; did you mean 'at_least'?"),
        (
            GUARD + "margin = 1\n" + GUARD + "zzz = 1",
            "gate.guard 2: zzz: unknown key; known keys are measure, at_least",
        ),
        ("run = 3", "run: expected text, got 3"),
        ("run = true", "run: expected text, got True"),
        ("max_grade = true", "max_grade: expected a number above 0"),
        ("max_grade = -1", "max_grade: expected a number above 0"),
        ("max_grade = nan", "max_grade: expected a number above 0"),
        ("max_grade = inf", "max_grade: expected a number above 0"),
        ("pool_depth = 2.5", "pool_depth: expected a whole number from 1 to 2147483647, got 2.5"),
        ("pool_depth = 0", "pool_depth: expected a whole number from 1 to 2147483647, got 0"),
        ('judges = "mode"', "judges: expected 'first' or 'latest' or 'max' or 'mean'"),
        ("gate = 3", "gate: expected a table, got 3"),
        ("[gate]\nalpha = true", "gate.alpha: expected a number between 0 and 0.5, got True"),
        ("[gate]\nalpha = '5%'", "gate.alpha: expected a number between 0 and 0.5, got '5%'"),
        ("[gate]\nalpha = 0.5", "gate.alpha: expected a number between 0 and 0.5, got 0.5"),
        ("[gate]\nalpha = 1", "gate.alpha: expected a number between 0 and 0.5, got 1"),
        ("[gate]\nalpha = 0", "gate.alpha: expected a number between 0 and 0.5, got 0"),
        ("[gate]\nalpha = nan", "gate.alpha: expected a number between 0 and 0.5, got nan"),
        ("[gate]\nseed = 7", "gate.seed: unknown key; known keys are alpha,"),
        ("[gate]\nresamples = 500", "gate.resamples: unknown key; known keys are alpha,"),
        ("[gate]\nnoise = {RR = 0.1}", "gate.noise: unknown key; known keys are alpha,"),
        ("[gate]\nmax_failed = -1", "gate.max_failed: expected a whole number from 0 to"),
        ("[gate]\nrepeat = true", "gate.repeat: expected a whole number from 1 to"),
        ("[gate]\nsmallest_slice = 0", "gate.smallest_slice: expected a whole number from 1 to"),
        ("[gate]\ninconclusive = 2", "gate.inconclusive: expected 0 or 1 or 3, got 2"),
        ("[gate]\ninconclusive = true", "gate.inconclusive: expected 0 or 1 or 3, got True"),
        ("[gate]\ninference = 'sett'", "gate.inference: expected 'population' or 'set'"),
        ("[gate]\nholes = 'x'", "gate.holes: expected 'report' or 'inconclusive', got 'x'"),
        ("[gate]\nallow_other_corpus = 1", "gate.allow_other_corpus: expected true or false"),
        ("[gate.guard]\nmeasure = 'P@5'", "gate.guard: expected [[gate.guard]], in double"),
        ("[gate]\nguard = 3", "gate.guard: expected a list, got 3"),
        ("[gate]\nguard = [3]", "gate.guard 1: expected a table, got 3"),
        ("[[gate.guard]]\nat_least = 1", "gate.guard 1: expected measure or latency"),
        (GUARD, "gate.guard 1: expected at_least, margin or equivalent for P@5, found none"),
        ("[[gate.guard]]\nmeasure = 5", "gate.guard 1: measure: expected a measure, got 5"),
        (
            "[[gate.guard]]\nmeasure = 'ndgc@10'\nmargin = 1",
            "gate.guard 1: unknown measure 'ndgc@10': did you mean 'nDCG@10'?",
        ),
        (GUARD + "at_least = true", "gate.guard 1: at_least: expected a number, got True"),
        (GUARD + "at_least = nan", "gate.guard 1: at_least: expected a finite number, got nan"),
        (GUARD + "margin = true", "gate.guard 1: margin: expected a number, or text such as '2%'"),
        (GUARD + "margin = 0", "gate.guard 1: margin: expected a number above 0, or a share"),
        (GUARD + "margin = 'x'", "gate.guard 1: margin: expected a number above 0, or a share"),
        (GUARD + "margin = []", "gate.guard 1: margin: expected a number, or text such as '2%'"),
        (GUARD + "margin = 1\nconfident = true", "gate.guard 1: confident: expected at_least in"),
        (GUARD + "margin = 1\nat_most_ms = 5", "gate.guard 1: at_most_ms: expected latency in"),
        (GUARD + "margin = 1\nslices = 'tag'", "gate.guard 1: slices: expected a list, got 'tag'"),
        (
            GUARD + "margin = 1\nslices = ['categry']",
            "gate.guard 1: slices: expected 'category' or 'difficulty' or 'tag' or 'traffic'",
        ),
        (
            "[[gate.guard]]\nlatency = '95'\nat_most_ms = 5",
            "gate.guard 1: latency: expected a percentile such as 'p95', got '95'",
        ),
        ("[[gate.guard]]\nlatency = 'p²'\nat_most_ms = 5", "latency: expected a percentile such"),
        ("[[gate.guard]]\nlatency = 'p0'\nat_most_ms = 5", "latency: expected a percentile above"),
        ("[[gate.guard]]\nlatency = 'p101'\nat_most_ms = 5", "expected a percentile above 0 and"),
        ("[[gate.guard]]\nlatency = 'p95'", "gate.guard 1: expected latency and at_most_ms, found"),
        ("[[gate.guard]]\nlatency = 'p95'\nat_most_ms = -1", "at_most_ms: expected a number of"),
        (
            "[[gate.guard]]\nlatency = 'p95'\nat_most_ms = 5\nmargin = 1",
            "gate.guard 1: expected latency and at_most_ms, found margin, latency, at_most_ms",
        ),
        ("run = ", "expected TOML: "),
        (b'run = "\xff"', "expected TOML: "),
        pytest.param("run = " + "[" * 100_000, "expected TOML: ", id="too deep"),
    ],
)
def test_invalid_settings_are_errors(tmp_path, text, message):
    """One line has the file, the key, what was expected and found, and the nearest known key."""
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    shown = str(caught.value)
    assert shown.startswith(f"{tmp_path / 'berryeval.toml'}: {message}") or message in shown
    assert "\n" not in shown
    assert caught.value.path == str(tmp_path / "berryeval.toml")


def test_a_missing_file_is_an_error(tmp_path):
    """The message contains the system's reason."""
    with pytest.raises(FormatError, match=r"nope.toml: cannot be read: No such file or directory"):
        read_settings(tmp_path / "nope.toml")


def test_files_from_windows_are_read(tmp_path):
    """Byte order marks and carriage returns are not part of the settings."""
    (tmp_path / "berryeval.toml").write_bytes(b'\xef\xbb\xbfcorpus = "a"\r\njudges = "max"\r\n')
    settings = read_settings(tmp_path / "berryeval.toml")
    assert (settings.corpus, settings.judges) == ("a", "max")
