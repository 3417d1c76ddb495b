"""``berryeval trec_eval`` compared with the real program, byte for byte.

The program is trec_eval 9.0.4 (`scripts/fetch_trec_eval.py`); berryeval follows 9.0.8, whose C
code is part of pytrec_eval, and `tests/properties` compares the two. No difference between the
versions is known for the cases compared here, so none is left out because of the version.
"""

import os
import runpy
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, event, given, settings

from berryeval.cli import main
from conformance import strategies
from conformance.strategies import Case

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".cache" / "conformance" / "trec_eval-9.0.4"

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason="no trec_eval to compare with: make conformance fetches it"
)

# `make conformance` runs more examples; the default is a small sample.
CASES = int(os.environ.get("CONFORMANCE_CASES", "30"))
many = settings(
    max_examples=CASES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large,
                           HealthCheck.filter_too_much],
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("conformance")


def write(folder: Path, case: Case) -> list[str]:
    """Write the files, and return the arguments."""
    (folder / "qrels").write_bytes(case.judgments)
    (folder / "run").write_bytes(case.run)
    files = [str(folder / "qrels"), str(folder / "run")]
    if case.z_scores is None:
        return [*case.flags, *files]
    (folder / "z").write_bytes(case.z_scores)
    return [*case.flags, "-Z", str(folder / "z"), *files]


def theirs(arguments: list[str]) -> tuple[int, bytes]:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout


def ours(arguments: list[str]) -> tuple[int, bytes]:
    code, text, _ = answer(arguments)
    return code, text


def answer(arguments: list[str]) -> tuple[int, bytes, str]:
    """Return the exit code, standard output and standard error of berryeval."""
    result = CliRunner().invoke(main, ["trec_eval", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout_bytes, result.stderr


def compare(folder: Path, case: Case) -> None:
    """Compare both results, unless the program crashes; its NaN matches NaN or a number."""
    arguments = write(folder, case)
    code, text = theirs(arguments)
    our_code, our_text, message = answer(arguments)
    event(f"exit code {code}")
    if code < 0:
        assert our_code in (0, 2, 4, 255)
        return
    if "yaap is undefined" in message:
        return  # the logarithm of a negative number is undefined
    assert our_code == code
    lines, our_lines = text.split(b"\n"), our_text.split(b"\n")
    assert len(our_lines) == len(lines)
    for line, our_line in zip(lines, our_lines, strict=True):
        if line.endswith(b"nan") and our_line != line:
            assert b"nan" not in our_line
        else:
            assert our_line == line


@many
@given(case=strategies.cases())
def test_qrels_are_scored_like_the_program(folder, case):
    """This covers any measures, flags and numbers, and missing and repeated lines."""
    compare(folder, case)


@many
@given(case=strategies.plain_cases())
def test_every_measure_is_scored_like_the_program(folder, case):
    """All measures are computed at once, per query and over all queries."""
    compare(folder, case)


@many
@given(case=strategies.group_cases())
def test_judgment_groups_are_scored_like_the_program(folder, case):
    """This covers averages over groups, and measures that do not support -R."""
    compare(folder, case)


@many
@given(case=strategies.preference_cases())
def test_preferences_are_scored_like_the_program(folder, case):
    """This covers groups with and without subgroups, missing documents, and contradictions."""
    compare(folder, case)


@many
@given(case=strategies.z_cases())
def test_z_scores_match_the_program(folder, case):
    """This includes missing means and deviations, and deviations of 0."""
    compare(folder, case)


FILES = Case(
    b"q1 0 d1 2\nq1 0 d2 1\nq1 0 d4 0\nq1 0 d5 -1\nq2 0 d3 1\nq3 0 d1 1\n",
    b"q2 Q0 d3 1 1 t\nq1 Q0 d4 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 d9 9 1 t\nq9 Q0 d1 1 1 last\n",
    [],
)


@pytest.mark.parametrize(
    "flags",
    [
        ["-mnope"], ["-mP_5"], ["-mP."], ["-m", ".5"], ["-mofficial.5"], ["-munj"], ["-mrbp"],
        ["--nope"], ["--M", "1"], ["--N=1"], ["--Re", "qrels"], ["--Rel", "qrels"], ["-x"],
        ["-Rnope"], ["-Tnope"], ["-Rprefs"], ["-v"], ["--version"], ["-o"],
        ["--Output_old", "x"], ["-D", "3.q1"], ["-D0.zz"], ["-D0."], ["-qnmmap"], ["-qm", "map"],
        ["--measure=map", "--nosum"], ["-mP.5", "-mP.10"], ["-l", "2", "-l", "1"], ["-n"],
        ["-mmap", "--"],
    ],
)  # fmt: skip
def test_flags_are_parsed_like_the_program(folder, flags):
    """This covers short, long, abbreviated, joined and unknown flags, and missing files."""
    arguments = write(folder, FILES)
    assert ours([*flags, *arguments]) == theirs([*flags, *arguments])
    assert ours(flags)[0] == theirs(flags)[0]


def test_missing_files_are_rejected_like_the_program(folder):
    """Either file may be missing or empty."""
    files = write(folder, FILES)
    (folder / "empty").write_bytes(b"")
    for other in (str(folder / "nowhere"), str(folder / "empty")):
        for arguments in ([other, files[1]], [files[0], other], ["-Z", other, *files]):
            assert ours(arguments) == theirs(arguments)


def test_the_program_has_the_requested_version():
    """Its hash is checked when it is fetched; its version is 9.0.4."""
    done = subprocess.run([PROGRAM, "-v"], capture_output=True, check=True)
    assert done.stderr == b"trec_eval version 9.0.4\n"
    script = runpy.run_path(str(ROOT / "scripts" / "fetch_trec_eval.py"))
    assert script["PROGRAM"] == PROGRAM
