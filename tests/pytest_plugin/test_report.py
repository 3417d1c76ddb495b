"""The report page at the end of a session, in one process and in several."""

import pickle

import pytest

from berryeval.pytest_plugin import Results
from berryeval.pytest_plugin.page import Record, page_of
from depth import IS_DEEP

TESTS = """
    import pytest

    def test_mean(berryeval_results):
        berryeval_results.assert_measure("RR", at_least=0.4)

    def test_missed(berryeval_results):
        berryeval_results.assert_measure("P@1", at_least=0.9)

    def test_rank(berryeval_results):
        berryeval_results.assert_rank("q2", "export-pdf", at_most=1)

    @pytest.mark.parametrize("number", range(4))
    def test_other(number):
        pass
"""

REGRESSION = """
    def test_margin(berryeval_results):
        berryeval_results.assert_no_regression("better.json", "RR", margin=0.9)

    def test_another_baseline(berryeval_results):
        berryeval_results.assert_no_regression("run.json", "P@3", margin=0.1)
"""


RANKED = """
    def test_ranked(berryeval_query):
        assert berryeval_query.ranking()
"""


def read_page(project, name="report.html"):
    return project.path.joinpath(name).read_text(encoding="utf-8")


def test_a_report_has_every_asserted_mean(project):
    """Each assertion is a guard on the page, with the verdict of its test."""
    project.makepyfile(TESTS)
    outcome = project.runpytest_inprocess("--berryeval-report", "new/report.html")
    outcome.assert_outcomes(passed=6, failed=1)
    outcome.stdout.fnmatch_lines(["berryeval: report: *new?report.html"])
    page = read_page(project, "new/report.html")
    assert page.startswith("<!DOCTYPE html>")
    assert "RR at least 0.4" in page
    assert "P@1 is 0.3333, below 0.9." in page


def test_a_report_compares_with_the_first_baseline(project):
    """A page compares the run with one baseline; assertions about another are left out."""
    project.makepyfile(REGRESSION)
    outcome = project.runpytest_inprocess("--berryeval-report", "report.html", "-p", "no:randomly")
    outcome.assert_outcomes(passed=1, failed=1)
    page = read_page(project)
    assert "candidate against baseline" in page
    assert "RR drops by less than 0.9" in page
    assert "turn on two-factor sign-in" in page
    assert "P@3" not in page


def test_margins_of_workers_with_another_baseline_are_left_out():
    """The page of two processes compares the run with the baseline of the first."""
    judgments, runs = {"q1": {"d1": 1}}, ({"q1": ["d1"]}, {"q1": ["d2", "d1"]})
    records = []
    for baseline, measure in zip(runs, ("RR", "P@1"), strict=True):
        results = Results(judgments, runs[0])
        results.assert_measure("R@5", at_least=0.5)
        results.assert_no_regression(baseline, measure, margin=0.9, allow_inconclusive=True)
        sent = pickle.dumps(Record.of(results))
        records.append(pickle.loads(sent))  # noqa: S301 - our own
    page = page_of(records)
    assert "R@5 at least 0.5" in page
    assert "RR drops by less than 0.9" in page
    assert "P@1 drops" not in page


def test_a_report_without_assertions_about_means_has_all_measures(project):
    """If only ranks are asserted, the usual figures and every query are still shown."""
    project.makepyfile(
        """
        def test_rank(berryeval_query):
            berryeval_query.ranking()
        """
    )
    project.runpytest_inprocess("--berryeval-report", "report.html").assert_outcomes(passed=3)
    page = read_page(project)
    assert "nDCG@10" in page
    assert "q3" in page


def test_latency_alone_creates_a_report(project):
    """A latency guard has no measure, but still a page."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write('timings = "times.jsonl"\n[[gate.guard]]\nlatency = "p50"\nat_most_ms = 20\n')
    project.path.joinpath("times.jsonl").write_text('{"query_id": "q1", "ms": 12.5}\n')
    project.makepyfile("def test_guard(berryeval_guard): berryeval_guard.assert_holds()")
    project.runpytest_inprocess("--berryeval-report", "report.html").assert_outcomes(passed=1)
    assert "latency p50 at most 20 ms" in read_page(project)


def test_a_session_without_results_has_no_report(project):
    """A message says so."""
    project.makepyfile("def test_nothing(): pass")
    outcome = project.runpytest_inprocess("--berryeval-report", "report.html")
    outcome.stdout.fnmatch_lines(["berryeval: no report: no test used berryeval_results"])
    assert not project.path.joinpath("report.html").exists()


def test_a_report_of_several_runs_names_the_first(project):
    """Folders may have their own systems."""
    for name, returned in (("one", "run.json"), ("two", "better.json")):
        folder = project.path.joinpath(name)
        folder.mkdir()
        folder.joinpath("conftest.py").write_text(
            "import pytest\n"
            "@pytest.fixture(scope='session')\n"
            f"def berryeval_results(berryeval_settings, berryeval_judgments, pytestconfig):\n"
            "    from berryeval.pytest_plugin._report import RESULTS\n"
            "    from berryeval.pytest_plugin import Results\n"
            f"    results = Results(berryeval_judgments, {returned!r})\n"
            "    pytestconfig.stash.setdefault(RESULTS, []).append(results)\n"
            "    return results\n"
        )
        folder.joinpath(f"test_{name}.py").write_text(
            "def test_mean(berryeval_results):\n"
            "    berryeval_results.assert_measure('RR', at_least=0.1)\n"
        )
    outcome = project.runpytest_inprocess("--berryeval-report", "report.html")
    outcome.assert_outcomes(passed=2)
    outcome.stdout.fnmatch_lines(["berryeval: report: *report.html, of the first of 2 runs"])


def test_a_report_that_cannot_be_written_fails_the_session(project):
    """CI must not look for a missing page."""
    project.makepyfile(TESTS)
    project.path.joinpath("file").write_text("")
    outcome = project.runpytest_inprocess("--berryeval-report", "file/report.html", "-k", "rank")
    outcome.stdout.fnmatch_lines(["berryeval: no report: *"])
    assert outcome.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("tests", "failed", "passed"),
    [
        pytest.param(TESTS + REGRESSION + RANKED, 2, 10, id="margins"),
        *([pytest.param(TESTS, 1, 6, id="means")] if IS_DEEP else []),
    ],
)
def test_workers_share_one_report(project, tests, failed, passed):
    """With xdist each worker measures separately, and the controller writes one page for all.

    Every worker finds the same tests, one per query if they request `berryeval_query`.
    """
    pytest.importorskip("xdist")
    project.makepyfile(tests)
    outcome = project.runpytest_inprocess("-n", "2", "--berryeval-report", "report.html")
    outcome.assert_outcomes(failed=failed, passed=passed)
    assert str(outcome.stdout).count("berryeval: report:") == 1
    page = read_page(project)
    assert "RR at least 0.4" in page
    assert "P@1 at least 0.9" in page


def test_a_measure_that_only_workers_define_is_reported(project):
    """Custom measures belong in conftest.py, which every process reads."""
    pytest.importorskip("xdist")
    project.makepyfile(
        """
        from berryeval.measures import define_measure

        define_measure("First", lambda seen, judged: float(bool(seen) and seen[0] >= 1))

        def test_mean(berryeval_results):
            berryeval_results.assert_measure("First", at_least=0.2)
        """
    )
    outcome = project.runpytest_inprocess("-n", "1", "--berryeval-report", "report.html")
    outcome.assert_outcomes(passed=1)
    outcome.stdout.fnmatch_lines(["berryeval: no report: unknown measure 'First': *"])
    assert outcome.ret == pytest.ExitCode.USAGE_ERROR
