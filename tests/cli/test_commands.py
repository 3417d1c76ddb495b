"""The command line, from the user's perspective."""

import gc
import json
import os
import re
import subprocess
import sys
from importlib import metadata

import pytest
from click.testing import CliRunner

from berryeval import __version__
from berryeval.__main__ import run
from berryeval.backend import Backend, backend
from berryeval.cli import main
from berryeval.cli import version as version_module
from berryeval.measures import all_measures
from berryeval.measures.describing import describe_parameters
from berryeval.measures.guidance import ADVICE
from berryeval.measures.run_measures import RUN_MEASURES


@pytest.fixture
def berryeval():
    """Run a command; return its exit code and output."""
    runner = CliRunner()

    def run(*arguments: str, answers: str | None = None):
        return runner.invoke(main, arguments, input=answers, prog_name="berryeval")

    return run


def test_version_shows_backend_versions_and_platform(berryeval):
    """Each fact is on one line, for a bug report."""
    result = berryeval("version")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == f"berryeval {__version__}"
    assert lines[1].startswith(f"  backend   {backend().name}")
    assert lines[1].endswith(backend().reason)
    assert [line.split()[0] for line in lines[2:]] == [
        "python",
        "platform",
        "numpy",
        "click",
        "rich",
    ]


def test_version_as_json_has_the_same_facts(berryeval):
    """The output is one object, for scripts."""
    info = json.loads(berryeval("version", "--json").output)
    assert info["berryeval"] == __version__
    assert (info["backend"], info["simd"]) == (backend().name, backend().simd)
    assert info["packages"] == {name: metadata.version(name) for name in ("numpy", "click", "rich")}
    assert info["threads"] >= 1


@pytest.mark.parametrize(
    ("chosen", "n_threads", "expected"),
    [
        (Backend("native", "it loads", simd="avx2"), 2, "native (avx2, 2 threads): it loads"),
        (Backend("native", "it loads", simd="neon"), 1, "native (neon, 1 thread): it loads"),
        (Backend("python", "it was asked for"), 8, "python: it was asked for"),
    ],
)
def test_the_backend_is_shown_with_details(berryeval, monkeypatch, chosen, n_threads, expected):
    """The native backend shows instructions and threads; the Python backend shows neither."""
    monkeypatch.setattr(version_module, "backend", lambda: chosen)
    monkeypatch.setattr(version_module, "n_threads", lambda: n_threads)
    assert berryeval("version").output.splitlines()[1] == f"  backend   {expected}"


def test_versions_are_found_for_unusual_installations(monkeypatch):
    """The package metadata is used as a fallback."""
    monkeypatch.setattr(version_module.sys, "path", ["/nowhere"])
    monkeypatch.setattr("importlib.metadata.version", lambda package: f"{package}-version")
    assert version_module._installed_version("click") == "click-version"


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_option_prints_only_the_version(berryeval, option):
    """The output is name and version."""
    assert berryeval(option).output == f"berryeval {__version__}\n"


@pytest.mark.parametrize("command", ["measures", "metrics"])
def test_measures_explains_every_measure(berryeval, command):
    """E7: definition, use, avoid, edge cases and parameters of each, within 80 columns."""
    result = berryeval(command)
    assert result.exit_code == 0
    shown = " ".join(result.output.split())
    for measure in all_measures():
        parameters = [f"{name}: {text}" for name, text in describe_parameters(measure)]
        texts = (measure.definition, measure.use_when, measure.avoid_when, *measure.edge_cases)
        for text in (*texts, *parameters):
            assert text in shown
    assert max(map(len, result.output.splitlines())) <= 80


def test_single_measures_can_be_explained(berryeval):
    """Names are accepted with or without a cutoff, and each measure is explained once."""
    result = berryeval("measures", "MRR", "ndcg@10", "nDCG")
    headings = [line for line in result.output.splitlines() if line and line[0] != " "]
    assert headings == ["RR: Reciprocal rank", "nDCG: Normalised discounted cumulative gain"]


@pytest.mark.parametrize(
    ("name", "holes"),
    [
        ("nDCG", "Comparisons report bounds over all grades of unjudged documents."),
        (
            "bpref",
            "No bounds over the grades of unjudged documents: it ignores unjudged documents on "
            "purpose.",
        ),
    ],
)
def test_a_measure_shows_whether_it_has_bounds_for_holes(berryeval, name, holes):
    """Those without bounds have a reason."""
    assert f" Holes {holes} " in " ".join(berryeval("measures", name).output.split())


def test_measures_as_json_has_the_reason_for_missing_bounds(berryeval):
    """It is null for measures that have bounds."""
    found = _measures_as_json(berryeval)
    assert found["AP"]["no_hole_bounds_because"] is None
    assert found["tokens"]["no_hole_bounds_because"] == "grades do not matter to it"


def _measures_as_json(berryeval):
    measures = json.loads(berryeval("measures", "--json").output)["measures"]
    return {measure["name"]: measure for measure in measures}


def test_measures_as_json_has_the_same_texts(berryeval):
    """A missing bound is null."""
    found = _measures_as_json(berryeval)
    assert set(found) == {measure.name for measure in all_measures()}
    assert found["nDCG"]["bounds"] == [0, 1]
    assert found["DCG"]["bounds"] == [0, None]


def test_measures_as_json_has_parameters_and_defaults(berryeval):
    """The key `at` names the parameter that follows the @."""
    found = _measures_as_json(berryeval)
    expected = {"k": None, "gain": "linear", "rel": 0.0, "judged_only": False}
    assert found["nDCG"]["parameters"] == expected
    assert (found["nDCG"]["at"], found["IPrec"]["at"], found["NumQ"]["at"]) == ("k", "recall", None)
    assert found["NumQ"]["parameters"] == {"judged_only": False}
    for measure in all_measures():
        assert measure(**found[measure.name]["parameters"]) == measure()


def test_measures_as_json_lists_those_of_runs_with_what_they_are_of(berryeval):
    """They are listed separately, by what they describe: their names are not for ``-m``."""
    found = json.loads(berryeval("measures", "--json").output)["run_measures"]
    assert [measure["name"] for measure in found] == [measure.name for measure in RUN_MEASURES]
    by_name = {measure["name"]: measure for measure in found}
    assert by_name["novelty"]["of"] == "a whole run"
    assert by_name["session_DCG"]["parameters"]["bq"] == 4.0
    assert by_name["U-risk"]["command"] == "berryeval compare --risk ALPHA"


@pytest.mark.parametrize("name", ["novelty", "ILD", "georisk", "nsDCG", "RBO"])
def test_measures_of_runs_are_explained_by_name(berryeval, name):
    """The text states what they describe."""
    result = berryeval("measures", name)
    assert result.exit_code == 0
    assert "`evaluate` and `-m` do not accept it" in " ".join(result.output.split())


def test_a_misspelt_measure_is_one_line_and_exit_code_2(berryeval):
    """There is no traceback, and the message suggests the nearest name."""
    result = berryeval("measures", "ndgc")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: unknown measure 'ndgc': did you mean 'nDCG'?\n"


def test_a_use_shows_its_measures_and_advice(berryeval):
    """E7: --for rag."""
    result = berryeval("measures", "--for", "rag")
    shown = " ".join(result.output.split())
    assert "Report R@5 (recall) and P@5 (precision) Then RR (reciprocal rank)" in shown
    assert all(advice in shown for advice in ADVICE)
    found = json.loads(berryeval("metrics", "--for", "rag", "--json").output)
    assert (found["first"], found["then"]) == (["R@5", "P@5"], ["RR"])


def test_a_use_may_be_written_in_any_case(berryeval):
    """RAG is an abbreviation."""
    assert berryeval("measures", "--for", "RAG").exit_code == 0


def test_an_unknown_use_lists_the_known_ones(berryeval):
    """The message lists the choices."""
    result = berryeval("measures", "--for", "cooking")
    assert result.exit_code == 2
    assert "'fact-checking'" in result.stderr


@pytest.mark.parametrize(
    ("answers", "advice", "heading"),
    [
        ("y", "Report R@100 (recall).", "R: Recall"),
        ("nyy", "Report nDCG@10 (normalised discounted cumulative gain).", "nDCG: Normalised"),
        ("nyny", "Report RR (reciprocal rank).", "RR: Reciprocal rank"),
        ("nynn", "Report P@10 (precision).", "P: Precision"),
        ("nynn", "Consider AP (average precision) as well.", "AP: Average precision"),
        ("nny", "Report Success@10 (hit rate).", "Success: Hit rate"),
        ("nnn", "Report P@10 (precision).", "P: Precision"),
    ],
)
def test_questions_lead_to_a_measure(berryeval, answers, advice, heading):
    """E7: --choose asks until one measure is left, and explains it."""
    result = berryeval("measures", "--choose", answers="\n".join(answers) + "\n")
    assert result.exit_code == 0
    assert advice in result.output
    assert heading in result.output


def test_a_question_without_an_answer_is_an_interruption(berryeval):
    """End of input has its own exit code, like Ctrl-C: 1 is for verdicts."""
    result = berryeval("measures", "--choose", answers="")
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")


def test_ctrl_c_ends_a_command_in_one_line(berryeval, monkeypatch):
    """There is no traceback."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(version_module, "backend", interrupt)
    result = berryeval("version")
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize(
    "arguments", [("nDCG", "--for", "rag"), ("--choose", "--for", "rag"), ("--choose", "--json")]
)
def test_mutually_exclusive_options_are_rejected(berryeval, arguments):
    """None is dropped silently."""
    assert berryeval("measures", *arguments).exit_code == 2


def test_an_unknown_command_is_exit_code_2(berryeval):
    """The message contains the misspelt command."""
    result = berryeval("mesure")
    assert result.exit_code == 2
    assert "mesure" in result.stderr


def test_help_lists_commands_and_exit_codes(berryeval):
    """-h works, too."""
    assert berryeval("-h").output == berryeval("--help").output
    for word in ("measures", "version", "Exit codes"):
        assert word in berryeval("-h").output


@pytest.mark.parametrize("group", [(), ("archive",), ("baseline",), ("golden",), ("token",)])
def test_lists_of_commands_show_whole_sentences(berryeval, group):
    """Each command is described in 80 columns."""
    lists = berryeval(*group, "--help").output.split("Options:\n")[1].split("\n\n")[1:]
    listed = [line for one in lists if ":\n" in one for line in one.splitlines()[1:]]
    assert listed
    assert [line for line in listed if not line.endswith(".") or "..." in line] == []


def test_the_module_can_be_run():
    """python -m berryeval is the same as berryeval."""
    done = subprocess.run(
        [sys.executable, "-m", "berryeval", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"berryeval {__version__}\n"


def test_the_shell_can_complete_commands():
    """The completion script generated by click lists the commands."""
    done = subprocess.run(
        [sys.executable, "-m", "berryeval"],
        env=os.environ
        | {"_BERRYEVAL_COMPLETE": "bash_complete", "COMP_WORDS": "berryeval m", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "measures" in done.stdout


def run_in_shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in which `berryeval` is this interpreter's."""
    here = f"{sys.executable} -m berryeval"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("berryeval", here)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell")
@pytest.mark.parametrize("reader", ["true", "head -1"])
def test_a_closed_pipe_is_not_an_error(reader):
    """The command ends silently."""
    done = run_in_shell(f"berryeval measures | {reader}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    """The line has the reason, and the exit code is 2."""
    done = run_in_shell("berryeval measures > /dev/full")
    assert (done.returncode, done.stderr) == (2, "Error: cannot write: No space left on device\n")


@pytest.mark.parametrize("arguments", [["measures"], ["measures", "--for", "rag"], ["version"]])
def test_output_can_be_ascii_only(arguments):
    """Old terminals and logs show everything."""
    done = subprocess.run(
        [sys.executable, "-m", "berryeval", *arguments],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", ["q1 Q0 d1 1", "q1 Q0 d1 1 nan run"])
def test_an_invalid_file_is_one_line_and_nothing_else(tmp_path, line):
    """The extension prints nothing at exit."""
    run, qrels = tmp_path / "broken.run", tmp_path / "qrels.txt"
    run.write_text(line + "\n")
    qrels.write_text("q1 0 d1 1\n")
    done = run_in_shell(f"berryeval evaluate {qrels} {run}")
    assert done.returncode == 2
    assert re.fullmatch(r"Error: .*\n", done.stderr)


@pytest.mark.parametrize(
    "arguments", [["evaluate", "x", "y", "-o", "z.xml"], ["explain", "x", "y", "z", "-o", "z.html"]]
)
def test_an_extension_of_another_commands_format_is_an_error(arguments):
    """A .png must not contain a plain-text table."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert re.fullmatch(
        rf"Error: --output: expected a name that ends in .*\.csv.*, or --format, "
        rf"got '{arguments[-1]}'\n",
        result.stderr,
    )


def test_the_format_option_takes_precedence_over_the_extension(tmp_path, monkeypatch):
    """It is explicit."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("q1 0 d1 1\n")
    (tmp_path / "r").write_text("q1 Q0 d1 1 1 r\n")
    arguments = ["evaluate", "q", "r", "-m", "AP", "--format", "csv", "-o", "out.svg"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert (tmp_path / "out.svg").read_text().startswith("run,")


def test_a_misspelt_command_suggests_the_nearest():
    """Misspelt measures are handled in the same way."""
    result = CliRunner().invoke(main, ["compair"])
    assert result.exit_code == 2
    assert "No such command 'compair'" in result.stderr
    assert "compare" in result.stderr
    assert "Did you mean" not in CliRunner().invoke(main, ["xyz"]).stderr


def test_a_bug_is_not_reported_as_a_failing_gate(monkeypatch, capsys):
    """Exit code 70 and a traceback are used, since 1 would mislead CI."""

    def fail(**_arguments):
        raise RuntimeError("impossible")

    monkeypatch.setattr("berryeval.cli.main", fail)
    monkeypatch.setattr("atexit.register", lambda _function: None)
    before = gc.get_threshold()
    with pytest.raises(SystemExit) as ended:
        run()
    gc.set_threshold(*before)
    assert ended.value.code == 70
    assert "RuntimeError: impossible" in capsys.readouterr().err
