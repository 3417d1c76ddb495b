"""A project's own search under test, through its own fixtures."""

SEARCH = """
    import pytest

    DOCUMENTS = {{"d1": "reset a password", "d2": "export as pdf", "d3": "delete a note"}}

    def rank(query, k):
        words = set(query.split())
        found = {{d: len(words & set(text.split())) for d, text in DOCUMENTS.items()}}
        return sorted((d for d in found if found[d]), key=lambda d: -found[d])[:k]

    class Engine:
        def search(self, query, k):
            {extra}
            return rank(query, k)

    class Retriever:
        k = 4

        def invoke(self, query):
            return [{{"id": f"chunk of {{d}}", "metadata": {{"source": d}}}}
                    for d in rank(query, self.k)]

    @pytest.fixture(scope="session")
    def berryeval_judgments():
        return {{"q1": {{"d1": 1}}, "q2": {{"d2": 1}}}}

    @pytest.fixture(scope="session")
    def berryeval_queries():
        return {{"q1": "password", "q2": "pdf"}}

    @pytest.fixture(scope="session")
    def berryeval_run():
        return {returned}
"""

TESTS = """
    def test_search(berryeval_results):
        assert berryeval_results.assert_measure("RR", at_least=1) == 1

    def test_rank(berryeval_results):
        berryeval_results.assert_rank("q2", "d2", at_most=1)
"""


def make(pytester, returned, extra="pass"):
    pytester.makeconftest(SEARCH.format(returned=returned, extra=extra))
    pytester.makepyfile(TESTS)


def test_a_system_receives_every_judged_query(pytester):
    """Any object with search(query, k) works."""
    make(pytester, "Engine()")
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_function_is_a_system(pytester):
    """It takes a query and k."""
    make(pytester, "rank")
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_retriever_of_a_framework_is_a_system(pytester):
    """Its chunks are scored as the documents that are judged."""
    make(pytester, "Retriever()")
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_system_without_documents_is_an_error(pytester):
    """One line explains how to pass them, instead of one failure per query."""
    make(pytester, "__import__('berryeval.search', fromlist=['x']).Embedded('bm25')")
    done = pytester.runpytest_inprocess()
    done.assert_outcomes(errors=2)
    done.stdout.fnmatch_lines(
        "*documents: expected some that bm25 can search, got none; call index(documents) in the "
        "fixture berryeval_run first"
    )


def test_a_dict_is_a_run(pytester):
    """Existing rankings are accepted, too."""
    make(pytester, '{"q1": ["d1"], "q2": ["d2"]}')
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_the_depth_is_passed_to_the_system(pytester):
    """A flag sets it. Default: 100 documents."""
    make(pytester, "Engine()", "assert k == 7")
    pytester.runpytest_inprocess("--berryeval-depth", "7").assert_outcomes(passed=2)
    make(pytester, "Engine()", "assert k == 100")
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_query_that_fails_in_the_system_is_not_scored_zero(pytester):
    """Means fail and name the failed query; other queries continue."""
    make(pytester, "Engine()", "assert query != 'password', 'index is down'")
    outcome = pytester.runpytest_inprocess()
    outcome.assert_outcomes(passed=1, failed=1)
    outcome.stdout.fnmatch_lines(
        [
            "E*AssertionError: 1 of 2 queries failed in the system under test:",
            "E*  q1: Engine: AssertionError: index is down*",
        ]
    )


def test_a_system_that_is_down_is_one_error(pytester):
    """If every query failed, there is nothing to assert."""
    make(pytester, "Engine()", "raise ConnectionRefusedError('index is down')")
    outcome = pytester.runpytest_inprocess()
    outcome.assert_outcomes(errors=2)
    outcome.stdout.fnmatch_lines(
        "Engine: failed for all 2 queries, so there is nothing to score; *"
    )


def test_a_system_needs_the_texts_of_the_queries(pytester):
    """A judged query without a text is reported before any query is sent."""
    make(pytester, "Engine()")
    conftest = pytester.path.joinpath("conftest.py")
    conftest.write_text(conftest.read_text().replace(', "q2": "pdf"', ""))
    outcome = pytester.runpytest_inprocess()
    outcome.assert_outcomes(errors=2)
    outcome.stdout.fnmatch_lines(
        ["query 'q2' has no text to send to a system: it is not in the given ones (1 query, such *"]
    )


TEXTS_ONLY = """
    import pytest

    class Store:
        def search(self, question, limit):
            return [{"article": "d1", "text": "reset a password"}]

    @pytest.fixture(scope="session")
    def berryeval_run():
        return Store()
"""


def project(pytester, settings):
    """Write judgments, a query and settings, and a fixture whose hits have ids of their own."""
    pytester.makeconftest(TEXTS_ONLY)
    pytester.makepyfile(TESTS.replace("q2", "q1").replace("d2", "d1"))
    pytester.makefile(".json", judgments='{"q1": {"d1": 1}}')
    pytester.makefile(".jsonl", queries='{"_id": "q1", "text": "password"}')
    named = 'judgments = "judgments.json"\nqueries = "queries.jsonl"\n'
    pytester.makefile(".toml", berryeval=named + settings)


def test_settings_apply_to_the_object_of_a_fixture(pytester):
    """A gate reads the same answers with the same settings; those of another kind are ignored."""
    project(pytester, '[system_settings]\nid = "article"\n')
    pytester.runpytest_inprocess().assert_outcomes(passed=2)
    project(pytester, 'system = "bm25"\n[system_settings]\ntitle_weight = 2\n')
    pytester.runpytest_inprocess().assert_outcomes(errors=2)


def test_an_id_template_applies_to_the_object_of_a_fixture(pytester):
    """As it does for a system that the settings name."""
    make(pytester, "lambda query, k: [one.removeprefix('d') for one in rank(query, k)]")
    pytester.makefile(".toml", berryeval='[system_settings]\nid = "d{id}"\n')
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_other_ids_than_those_of_the_judgments_are_one_error(pytester):
    """Scores of 0 would blame the search; the line names the field with the ids."""
    project(pytester, "")
    done = pytester.runpytest_inprocess()
    done.assert_outcomes(errors=2)
    done.stdout.fnmatch_lines(
        ['Store: none *the judgments; * (add id = "article" below [[]system_settings[]] in *']
    )
    assert "During handling" not in done.stdout.str()
