"""Judgments by several people, and preferences."""

import pytest
from click.testing import CliRunner

from berryeval.cli import main

RUN = "q Q0 d2 1 9 t\nq Q0 d1 1 8 t\nq Q0 d9 1 7 t\nq Q0 d3 1 6 t\n"


@pytest.fixture
def evaluate(tmp_path):
    """Write judgments and a run, and return the values of q by name, or the error."""

    def evaluated(judgments: str, *flags: str, run: str = RUN):
        (tmp_path / "judgments").write_text(judgments)
        (tmp_path / "run").write_text(run)
        files = [str(tmp_path / "judgments"), str(tmp_path / "run")]
        result = CliRunner().invoke(main, ["trec_eval", "-q", *flags, *files])
        if result.exit_code:
            return result.exit_code, result.stderr.splitlines()[-1].partition("Error: ")[2]
        rows = [line.split("\t") for line in result.stdout.splitlines()]
        return {name.rstrip(): value for name, query, value in rows if query == "q"}

    return evaluated


# Two judges agree on d1 only. Of a, 2 of 2 are found, at ranks 1 and 2; of b, 1 of 2, at rank 2.
JUDGES = "q a d1 1\nq a d2 2\nq b d1 1\nq b d2 0\nq b d5 1\n"


def test_each_group_counts_the_same(evaluate):
    """Average precision is 1 and 1/4; precision at 1 is 1 and 0, at 2 it is 1 and 1/2."""
    assert evaluate(JUDGES, "-Rqrels_jg", "-mmap_avgjg", "-mP_avgjg.2,1") == {
        "map_avgjg": "0.6250",
        "P_avgjg_1": "0.5000",
        "P_avgjg_2": "0.7500",
    }


@pytest.mark.parametrize(
    ("flag", "measure", "judgments"),
    [
        ("-Rqrels_jg", "-mmap_avgjg", "# by a\nq a d1 1\nq a d2 2\n# by b\nq b d#1 1\n"),
        ("-Rprefs", "-mprefs_simp", "# by a\nq a 0 d1 1\nq a 0 d2 2\n# by b\nq b 0 d#1 1\n"),
        ("-Rqrels_prefs", "-mprefs_simp", "# by a\nq a d1 1\nq a d2 2\n# by b\nq b d#1 1\n"),
    ],
)
def test_10_skips_comments_in_every_file_of_judgments(evaluate, flag, measure, judgments):
    """Lines that begin with #, as in the tests that 10.0 ships; 9.0.8 has no comments."""
    plain = "".join(
        line for line in judgments.splitlines(keepends=True) if not line.startswith("#")
    )
    found = evaluate(judgments, flag, measure, "--compat=10.0")
    assert found == evaluate(plain, flag, measure, "--compat=10.0")
    assert isinstance(found, dict)
    code, message = evaluate(judgments, flag, measure)
    assert (code, ":1: expected " in message) == (2, True)


def test_10_takes_a_mark_after_spaces_for_a_query(evaluate):
    """In judgments a comment begins in the first column; only runs may have spaces before it."""
    judged = "q 0 d1 1\n # 0 d1 1\n"
    code, message = evaluate(judged, "-mmap", "--compat=10.0")
    assert (code, "'#'" in message) == (4, True)
    assert evaluate("q 0 d2 1\n", "-mmap", "--compat=10.0", run=f" # tag\n{RUN}") == {
        "map": "1.0000"
    }


def test_multiples_of_r_are_those_of_each_group(evaluate):
    """At rank 2 for both, then at 4; at half of it, 1 for both."""
    found = evaluate(JUDGES, "-Rqrels_jg", "-mRprec_mult_avgjg.2,1,.5,-1")
    assert found == {
        "Rprec_mult_avgjg_-1.00": "0.0000",
        "Rprec_mult_avgjg_0.50": "0.5000",
        "Rprec_mult_avgjg_1.00": "0.7500",
        "Rprec_mult_avgjg_2.00": "0.3750",
    }


def test_the_nickname_has_all_measures_of_groups(evaluate):
    """One, nine and ten lines."""
    assert len(evaluate(JUDGES, "-R", "qrels_jg", "-m", "qrels_jg")) == 20


def test_groups_may_have_negative_grades_only(evaluate):
    """Unlike in plain qrels: nothing is relevant then."""
    found = evaluate(JUDGES + "q c d1 -1\n", "-Rqrels_jg", "-mmap_avgjg")
    assert found == {"map_avgjg": "0.4167"}
    assert evaluate("q c d1 -1\n", "-Rqrels_jg", "-mmap_avgjg", "-l-1") == {"map_avgjg": "   inf"}


def test_level_and_judged_only_hold_for_each_group(evaluate):
    """At level 2 only a has a relevant document; without d9 and what b did not judge d3 goes."""
    assert evaluate(JUDGES, "-Rqrels_jg", "-l2", "-mmap_avgjg") == {"map_avgjg": "0.5000"}
    assert evaluate(JUDGES, "-Rqrels_jg", "-J", "-mP_avgjg.2") == {"P_avgjg_2": "0.7500"}


def test_a_document_twice_in_a_group_is_refused_when_read(evaluate):
    """Exit code 2, where plain qrels have 4."""
    code, message = evaluate(JUDGES + "q a d1 1\n", "-Rqrels_jg", "-mqrels_jg")
    assert code == 2
    assert message.endswith("judgments:6: duplicate docs d1 of query 'q'")


# d1 over d2 is not kept, d1 and d2 over d3 are; d4 was not retrieved, which keeps two more.
LEVELS = "q a 0 d1 2\nq a 0 d2 1\nq a 0 d3 0\nq a 0 d4 0\n"


def test_preferences_of_one_judge(evaluate):
    """4 of 5 are kept, between retrieved documents 2 of 3."""
    assert evaluate(LEVELS, "-Rprefs", "-mall_prefs") == {
        "prefs_num_prefs_poss": "5",
        "prefs_num_prefs_ful": "4",
        "prefs_num_prefs_ful_ret": "2",
        "prefs_simp": "0.8000",
        "prefs_pair": "0.8000",
        "prefs_avgjg": "0.8000",
        "prefs_avgjg_Rnonrel": "0.8000",
        "prefs_simp_ret": "0.6667",
        "prefs_pair_ret": "0.6667",
        "prefs_avgjg_ret": "0.6667",
        # Two relevant documents and one other: another one is added below, kept twice.
        "prefs_avgjg_Rnonrel_ret": "0.8000",
        "prefs_simp_imp": "0.8000",
        "prefs_pair_imp": "0.8000",
        "prefs_avgjg_imp": "0.8000",
    }


def test_qrels_are_preferences_too(evaluate):
    """The second column is the judge."""
    qrels = LEVELS.replace(" a 0 ", " a ")
    found = evaluate(qrels, "-Rqrels_prefs", "-mall_prefs")
    assert found == evaluate(LEVELS, "-Rprefs", "-mall_prefs")


def test_preferences_without_a_retrieved_document_are_not_kept(evaluate):
    """d5 over d4: possible, unless only those with a retrieved document count."""
    found = evaluate(LEVELS + "q a 0 d5 3\n", "-Rprefs", "-mall_prefs")
    # d5 is preferred to four documents, one of which was not retrieved either.
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("9", "4")
    assert (found["prefs_simp"], found["prefs_simp_imp"]) == ("0.4444", "0.5000")
    assert (found["prefs_pair"], found["prefs_pair_imp"]) == ("0.4444", "0.5000")


def test_ties_of_preferences_go_to_the_lesser_id(evaluate):
    """The other way round than in all other formats."""
    found = evaluate(LEVELS, "-Rprefs", "-mprefs", run="q 0 d2 1 1 t\nq 0 d1 1 1 t\n")
    assert found["prefs_num_prefs_ful_ret"] == "1"


def test_judges_may_disagree(evaluate):
    """One prefers d1 to d2, one d2 to d1 and to d3: half of the first pair, all of the second."""
    two = "q a 0 d1 2\nq a 0 d2 1\nq b 0 d1 1\nq b 0 d2 2\nq b 0 d3 1\n"
    found = evaluate(two, "-Rprefs", "-mall_prefs")
    assert found["prefs_simp"] == "0.6667"
    assert found["prefs_pair"] == "0.7500"
    assert found["prefs_avgjg"] == "0.5000"


def test_subgroups_lead_to_further_preferences(evaluate):
    """d3 over d1 and d1 over d2 make d3 over d2; nothing is said of d4."""
    text = "q a x d3 3\nq a x d1 2\nq a y d1 5\nq a y d2 4\nq a z d4 1\n"
    found = evaluate(text, "-Rprefs", "-mall_prefs")
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("3", "0")


def test_more_nonrelevant_documents_than_relevant_ones_are_cut(evaluate):
    """One of three stays; trec_eval compares the last class with itself as well."""
    text = "q a 0 d1 1\nq a 0 d2 0\nq a 0 d3 0\nq a 0 d4 0\n"
    found = evaluate(text, "-Rprefs", "-mall_prefs")
    # d1, d2, d3 and d4 against d2: only the first is a preference, and it is not kept.
    assert found["prefs_avgjg_Rnonrel"] == found["prefs_avgjg_Rnonrel_ret"] == "0.0000"
    better = RUN.replace("d2", "d0")
    found = evaluate(text, "-Rprefs", "-mall_prefs", run=better)
    # d1 over d3; then d2 and d4, which were not retrieved, and d3 itself.
    assert found["prefs_avgjg_Rnonrel"] == "0.2500"
    subgroups = text + "q a 1 d1 1\nq a 1 d2 0\n"
    found = evaluate(subgroups, "-Rprefs", "-mall_prefs", run=better)
    assert found["prefs_avgjg_Rnonrel"] == found["prefs_avgjg_Rnonrel_ret"] == "1.0000"


# Three judgments of a at a time. d1 and d6 are relevant, d2 to d5 are not; d2 comes first.
SUBGROUPS = "q a 0 d1 1\nq a 0 d2 0\nq a 1 d1 1\nq a 1 d3 0\nq a 2 d4 0\nq a 2 d5 0\nq a 2 d6 2\n"


@pytest.mark.parametrize(("n_documents", "expected"), [(6, "0.0000"), (2, "0.5000")])
def test_what_subgroups_say_of_cut_documents_goes_too(evaluate, n_documents, expected):
    """Two stay: d2 and d4, both above the better one; or d2 and d3, which was not retrieved."""
    ids = ["d2", "d1", "d4", "d6", "d5", "d3"][:n_documents]
    run = "".join(f"q 0 {doc_id} 1 {-i} t\n" for i, doc_id in enumerate(ids))
    found = evaluate(SUBGROUPS, "-Rprefs", "-mall_prefs", run=run)
    assert found["prefs_num_prefs_poss"] == "4"
    assert found["prefs_avgjg_Rnonrel"] == expected


def test_a_query_without_preferences_scores_0(evaluate):
    """One document, or equals."""
    found = evaluate("q a 0 d1 0\nq a 0 d2 0\n", "-Rprefs", "-mall_prefs")
    assert set(found.values()) == {"0", "0.0000"}


def test_pairs_with_one_retrieved_document_count_in_their_scope(evaluate):
    """a: d2 over d5; b: d5 over d2 and over d1; of two pairs a half is kept, or nothing counts."""
    text = "q a 0 d2 2\nq a 0 d5 1\nq b 0 d5 2\nq b 0 d2 1\nq b 0 d1 1\n"
    found = evaluate(text, "-Rprefs", "-mprefs_pair", "-mprefs_pair_ret", "-mprefs_pair_imp")
    assert found == {
        "prefs_pair": "0.2500",
        "prefs_pair_ret": "0.0000",
        "prefs_pair_imp": "0.2500",
    }


def test_a_group_without_preferences_makes_the_balanced_mean_0(evaluate):
    """0 / 0 in one group spreads over all of them."""
    found = evaluate(LEVELS + "q b 0 d3 0\n", "-Rprefs", "-mprefs_avgjg_Rnonrel", "-mprefs_avgjg")
    assert found == {"prefs_avgjg": "0.4000", "prefs_avgjg_Rnonrel": "0.0000"}


@pytest.mark.parametrize(
    "contradiction",
    [
        "q a 0 d1 0\n",  # two levels of one document
        "q a 1 d1 1\nq a 1 d2 2\n",  # d2 over d1 in another subgroup
        "q a 1 d3 1\nq a 1 d2 2\n",  # relevant in one subgroup, not relevant in another
    ],
)
def test_contradictions_of_a_judge_are_refused(evaluate, contradiction):
    """Exit code 4, also where trec_eval aborts."""
    expected = (4, "query 'q': the judgments of group 'a' contradict each other")
    assert evaluate(LEVELS + contradiction, "-Rprefs", "-mprefs") == expected


def test_lines_of_preferences_have_five_columns(evaluate):
    """And a level that is a number."""
    code, message = evaluate("q a d1 1\n", "-Rprefs", "-mprefs")
    assert (code, message[message.index("expected") :]) == (
        2,
        "expected 5 columns (query, group, subgroup, document, level), found 4",
    )
    assert evaluate("q a 0 d1 nan\n", "-Rprefs", "-mprefs")[1].endswith(
        "judgments:1: expected a level, found nan"
    )


def test_10_scores_missing_queries_of_groups_and_preferences(evaluate):
    """With -c they have a ranking of nothing that was judged."""
    flags = ("-c", "--compat=10.0")
    run = "other Q0 d1 1 1 t\n"
    assert evaluate(JUDGES, "-Rqrels_jg", "-mmap_avgjg", *flags, run=run) == {"map_avgjg": "0.0000"}
    found = evaluate(LEVELS, "-Rprefs", "-mprefs_num_prefs_poss", *flags, run=run)
    assert found == {"prefs_num_prefs_poss": "5"}
