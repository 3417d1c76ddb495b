"""The fixtures that the plugin provides to the tests of a project."""

import json
import subprocess
import sys

import pytest


def test_a_mean_that_reaches_its_limit_passes(project):
    """The files in berryeval.toml are enough, and the mean is returned."""
    project.makepyfile(
        """
        def test_search(berryeval_results):
            assert 0.4 < berryeval_results.assert_measure("RR", at_least=0.4) < 0.6
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_mean_below_its_limit_shows_the_worst_queries(project):
    """The failure has the mean, limit, worst queries with their texts, and unjudged counts."""
    project.makepyfile(
        """
        def test_search(berryeval_results):
            berryeval_results.assert_measure("RR", at_least=0.7)
        """
    )
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(
        [
            '>*berryeval_results.assert_measure("RR", at_least=0.7)',
            "E*AssertionError: RR is 0.5000, below 0.7.",
            "E*Worst queries:",
            'E*  q3  0.0000  "turn on two-factor sign-in"',
            'E*  q1  0.5000  "I forgot my password"',
            'E*  q2  1.0000  "save as PDF"',
            "E*3 queries judged, 3 scored.",
            "E*Unjudged documents in the rankings: run 4.",
        ]
    )
    assert "results.py" not in outcome.stdout.str()


def test_a_rank_beyond_its_limit_shows_the_ranking(project):
    """The failure has the query, what was expected, and each document with its grade if any."""
    project.makepyfile(
        """
        def test_found(berryeval_results):
            assert berryeval_results.assert_rank("q2", "export-pdf", at_most=1) == 1

        def test_too_low(berryeval_results):
            berryeval_results.assert_rank("q1", "reset-password", at_most=2)

        def test_not_found(berryeval_results):
            berryeval_results.assert_rank("q3", "two-factor", at_most=3)

        def test_unknown(berryeval_results):
            berryeval_results.assert_rank("q9", "two-factor", at_most=3)
        """
    )
    outcome = project.runpytest_inprocess("-p", "no:randomly")
    outcome.assert_outcomes(passed=1, failed=3)
    outcome.stdout.fnmatch_lines(
        [
            'E*q1 "I forgot my password": expected reset-password at rank 2 or better, '
            "found it at rank 3.",
            "E*rank  document        grade",
            "E*   1  billing         unjudged",
            "E*   2  sign-in         1",
            "E*>    3  reset-password  3",
            'E*q3 "turn on two-factor sign-in": expected two-factor at rank 3 or better, '
            "did not find it in 2 documents.",
            "E*query_id: expected a query of the judgments or the run, got 'q9'",
        ]
    )


def test_there_is_one_test_per_query(project):
    """Test ids are query ids in file order, and a failure shows its ranking."""
    project.makepyfile(
        """
        def test_not_hopeless(berryeval_query):
            assert berryeval_query.text
            assert berryeval_query.ranking(1)[0].rank == 1
            berryeval_query.assert_measure("nDCG@2", at_least=0.1)
        """
    )
    outcome = project.runpytest_inprocess("-v", "-p", "no:randomly")
    outcome.assert_outcomes(passed=2, failed=1)
    outcome.stdout.fnmatch_lines(
        [
            "*test_not_hopeless[[]q1] PASSED*",
            "*test_not_hopeless[[]q2] PASSED*",
            "*test_not_hopeless[[]q3] FAILED*",
            'E*q3 "turn on two-factor sign-in": nDCG@2 is 0.0000, below 0.1.',
            "E*   1  trash     unjudged",
            "E*   2  billing   unjudged",
            "E*Relevant but not found: two-factor (2), sign-in (1)",
        ]
    )


def test_a_test_may_select_its_queries(project):
    """Its own parametrisation replaces the default of all queries."""
    project.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("berryeval_query", ["q2"], indirect=True)
        def test_one(berryeval_query):
            assert berryeval_query.score("RR") == 1
            assert berryeval_query.assert_rank("export-pdf", at_most=1) == 1
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_there_is_one_test_per_guard(project):
    """Guards of berryeval.toml pass or fail separately, and a failure shows the queries."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write(
            """
            baseline = "better.json"
            timings = "timings.jsonl"
            [gate]
            inference = "set"
            [[gate.guard]]
            measure = "RR"
            at_least = 0.4
            [[gate.guard]]
            measure = "P@1"
            at_least = 0.9
            [[gate.guard]]
            measure = "nDCG@2"
            margin = 0.05
            [[gate.guard]]
            latency = "p95"
            at_most_ms = 5
            """
        )
    project.path.joinpath("timings.jsonl").write_text('{"query_id": "q1", "ms": 12.5}\n')
    project.makepyfile(
        """
        def test_guard(berryeval_guard):
            berryeval_guard.assert_holds()
        """
    )
    outcome = project.runpytest_inprocess("-v", "-p", "no:randomly")
    outcome.assert_outcomes(passed=1, failed=3)
    outcome.stdout.fnmatch_lines(
        [
            "*test_guard[[]RR at least 0.4] PASSED*",
            "*test_guard[[]P@1 at least 0.9] FAILED*",
            "*test_guard[[]nDCG@2 drops by less than 0.05] FAILED*",
            "*test_guard[[]latency p95 at most 5 ms] FAILED*",
            "E*fail: P@1 is 0.3333, below 0.9.",
            "E*Worst queries:",
            "E*fail: nDCG@2 * fell by *, beyond the margin of 0.05 on these queries*",
            "E*2 queries lost:",
            'E*q3  1.0000 -> 0.0000  "turn on two-factor sign-in"',
            "E*fail: Latency is 12.5 ms at p95, above 5 ms.",
        ]
    )


def test_every_assertion_considers_judged_documents_only_if_the_gate_does(project):
    """The first document of q1 is unjudged: without it, RR is 1 for two of three queries."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write('[gate]\njudged_only = true\n[[gate.guard]]\nmeasure = "RR"\nat_least = 0.6\n')
    project.makepyfile(
        """
        def test_guard(berryeval_guard):
            berryeval_guard.assert_holds()

        def test_search(berryeval_results):
            assert berryeval_results.assert_measure("RR", at_least=0.6) == 2 / 3
            assert berryeval_results.query("q1").score("RR") == 1.0
            same = berryeval_results.assert_no_regression(
                berryeval_results.run, "RR", allow_inconclusive=True
            )
            assert str(same.guards[0].guard.measure) == "RR(judged_only=True)"
        """
    )
    outcome = project.runpytest_inprocess("-v", "-p", "no:randomly")
    outcome.assert_outcomes(passed=2)
    outcome.stdout.fnmatch_lines(["*test_guard[[]RR(judged_only=True) at least 0.6] PASSED*"])


def test_a_guard_that_the_gate_does_not_have_is_an_error(project):
    """Otherwise, it would hold regardless of the results."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write('[[gate.guard]]\nmeasure = "RR"\nat_least = 0.4\n')
    project.makepyfile(
        """
        import pytest
        from berryeval.evaluation.guards import ThresholdGuard
        from berryeval.measures import ReciprocalRank

        own = ThresholdGuard(ReciprocalRank(3), 1.0)

        @pytest.mark.parametrize("berryeval_guard", [own], indirect=True)
        def test_guard(berryeval_guard):
            berryeval_guard.assert_holds()
        """
    )
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(
        ["*berryeval_guard: expected a guard of berryeval.toml, got RR@3 at least 1*"]
    )


@pytest.mark.parametrize(("smallest", "failed"), [(20, 0), (1, 1)])
def test_watched_slices_do_not_fail_tests(project, smallest, failed):
    """A slice below its threshold is named if it has the size set in berryeval.toml."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write(
            f"[gate]\nsmallest_slice = {smallest}\n"
            '[[gate.guard]]\nmeasure = "RR"\nat_least = 0.4\nslices = ["category"]\n'
        )
    queries = project.path.joinpath("queries.jsonl")
    queries.write_text(
        "".join(
            json.dumps({"id": query_id, "query": query_id, "category": category}) + "\n"
            for query_id, category in (("q1", "good"), ("q2", "good"), ("q3", "bad"))
        )
    )
    project.makepyfile("def test_guard(berryeval_guard): berryeval_guard.assert_holds()")
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(failed=failed, passed=1 - failed)
    if failed:
        outcome.stdout.fnmatch_lines(["E*fail: category=bad: RR is 0.0000, below 0.4.*"])


def test_an_inconclusive_guard_passes_only_if_allowed(project):
    """The file's exit code for inconclusive gates allows it, or the test itself."""
    with project.path.joinpath("berryeval.toml").open("a") as file:
        file.write('baseline = "better.json"\n[[gate.guard]]\nmeasure = "RR"\nmargin = 0.05\n')
    project.makepyfile(
        """
        def test_strict(berryeval_guard):
            assert repr(berryeval_guard) == "<GuardCheck RR drops by less than 0.05>"
            berryeval_guard.assert_holds()

        def test_lenient(berryeval_guard):
            berryeval_guard.assert_holds(allow_inconclusive=True)
        """
    )
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(passed=1, failed=1)
    outcome.stdout.fnmatch_lines(["E*inconclusive: RR fell by 0.5000; 2 of 3 queries changed, *"])


def test_without_guards_a_test_of_guards_is_an_error(project):
    """It must not pass without checking anything."""
    project.makepyfile("def test_guard(berryeval_guard): pass")
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(
        ["*berryeval_guard: expected [[][[]gate.guard]] in berryeval.toml, got none*"]
    )


def test_a_regression_shows_the_queries_that_lost(project):
    """The failure has the gate's sentence, and the queries that lost most."""
    project.makepyfile(
        """
        def test_same(berryeval_results):
            assert berryeval_results.assert_no_regression("run.json").verdict == "pass"

        def test_worse(berryeval_results):
            berryeval_results.assert_no_regression("better.json", "RR", margin=0.1)

        def test_undecided(berryeval_results):
            berryeval_results.assert_no_regression(
                "better.json", "RR", margin=0.1, allow_inconclusive=True
            )
        """
    )
    outcome = project.runpytest_inprocess("-p", "no:randomly")
    outcome.assert_outcomes(passed=2, failed=1)
    outcome.stdout.fnmatch_lines(
        [
            "E*AssertionError: RR fell by 0.5000; 2 of 3 queries changed, and a difference is "
            "tested only if 10 or more changed. About * queries are needed; this set has 3.*",
            "E*2 queries lost:",
            'E*  q3  1.0000 -> 0.0000  "turn on two-factor sign-in"',
            'E*  q1  1.0000 -> 0.5000  "I forgot my password"',
            "E*allow_inconclusive=True lets this pass.",
        ]
    )


def test_flags_and_settings_of_pytest_take_precedence(project):
    """Flags take precedence over pytest's settings, and these over berryeval.toml."""
    project.makepyfile(
        """
        def test_search(berryeval_results):
            berryeval_results.assert_measure("RR", at_least=0.9)
        """
    )
    project.makeini("[pytest]\nberryeval_run = better.json\n")
    project.runpytest_inprocess().assert_outcomes(passed=1)
    project.runpytest_inprocess("--berryeval-run", "run.json").assert_outcomes(failed=1)


def test_variables_take_precedence_over_files(project, monkeypatch):
    """They are the variables that the commands read."""
    monkeypatch.setenv("BERRYEVAL_RUN", "better.json")
    project.makepyfile(
        """
        def test_search(berryeval_results, monkeypatch, tmp_path):
            monkeypatch.chdir(tmp_path)
            berryeval_results.assert_measure("RR", at_least=0.9)
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=1)
    project.runpytest_inprocess("--berryeval-run", "run.json").assert_outcomes(failed=1)


def test_a_configuration_can_be_named(project):
    """This is for projects with several."""
    project.path.joinpath("other").mkdir()
    project.path.joinpath("other/berryeval.toml").write_text(
        'judgments = "../qrels.json"\nrun = "../better.json"\n'
    )
    project.makepyfile(
        """
        def test_search(berryeval_results):
            berryeval_results.assert_measure("RR", at_least=0.9)
        """
    )
    flags = ("--berryeval-config", "other/berryeval.toml")
    project.runpytest_inprocess(*flags).assert_outcomes(passed=1)


def test_missing_inputs_are_reported_in_one_line(pytester):
    """Without judgments or a run, the message explains how to set them, without a traceback."""
    pytester.makepyfile(
        test_judgments="def test_it(berryeval_judgments): pass",
        test_run="def test_it(berryeval_run): pass",
        test_query="def test_it(berryeval_query): pass",
    )
    outcome = pytester.runpytest_inprocess(
        "--continue-on-collection-errors",
        *("-p", "no:randomly"),
        *("-p", "no:schemathesis"),  # its old-style hooks warn about exceptions raised inside them
    )
    outcome.assert_outcomes(errors=3)
    outcome.stdout.fnmatch_lines_random(
        [
            "berryeval_judgments: expected judgments, got none; name a file in berryeval.toml *",
            "berryeval_run: expected a run or a system, got none; define a fixture berryeval_run*",
        ]
    )
    assert "_fixtures.py" not in outcome.stdout.str()


def test_an_invalid_depth_is_reported(project):
    """pytest's settings are text."""
    project.makeini("[pytest]\nberryeval_depth = deep\n")
    project.makepyfile("def test_it(berryeval_depth): pass")
    outcome = project.runpytest_inprocess()
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(["berryeval_depth: expected a whole number, got 'deep'"])


def test_starting_pytest_does_not_import_berryeval():
    """Test suites that do not use the plugin do not wait for it."""
    script = (
        "import sys, berryeval.pytest_plugin as plugin\n"
        "assert set(plugin.__all__) >= {'Results', 'berryeval_results'}\n"
        "print(*(name for name in sys.modules if name.startswith(('berryeval', 'numpy', 'scipy'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    modules = {name for name in done.stdout.split() if "pytest_plugin" not in name}
    assert modules == {"berryeval", "berryeval._lazy"}
