"""Judgments by several judges, and preferences."""

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


# Two judges agree on d1 only. Judge a: 2 of 2 are found, at ranks 1 and 2; b: 1 of 2, at rank 2.
JUDGES = "q a d1 1\nq a d2 2\nq b d1 1\nq b d2 0\nq b d5 1\n"


def test_each_group_has_equal_weight(evaluate):
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
    """Lines may start with #, as in the tests shipped with 10.0; 9.0.8 has no comments."""
    plain = "".join(
        line for line in judgments.splitlines(keepends=True) if not line.startswith("#")
    )
    found = evaluate(judgments, flag, measure, "--compat=10.0")
    assert found == evaluate(plain, flag, measure, "--compat=10.0")
    assert isinstance(found, dict)
    code, message = evaluate(judgments, flag, measure)
    assert (code, ":1: expected " in message) == (2, True)


def test_10_reads_a_hash_after_spaces_as_a_query(evaluate):
    """In judgments a comment starts in the first column; only runs allow spaces before it."""
    judged = "q 0 d1 1\n # 0 d1 1\n"
    code, message = evaluate(judged, "-mmap", "--compat=10.0")
    assert (code, "'#'" in message) == (4, True)
    assert evaluate("q 0 d2 1\n", "-mmap", "--compat=10.0", run=f" # tag\n{RUN}") == {
        "map": "1.0000"
    }


def test_multiples_of_r_are_those_of_each_group(evaluate):
    """The cutoff is rank 2 for both, then 4; for half of R it is 1."""
    found = evaluate(JUDGES, "-Rqrels_jg", "-mRprec_mult_avgjg.2,1,.5,-1")
    assert found == {
        "Rprec_mult_avgjg_-1.00": "0.0000",
        "Rprec_mult_avgjg_0.50": "0.5000",
        "Rprec_mult_avgjg_1.00": "0.7500",
        "Rprec_mult_avgjg_2.00": "0.3750",
    }


def test_the_nickname_has_all_measures_of_groups(evaluate):
    """It prints one, nine and ten lines."""
    assert len(evaluate(JUDGES, "-R", "qrels_jg", "-m", "qrels_jg")) == 20


def test_groups_may_have_only_negative_grades(evaluate):
    """Unlike in plain qrels, nothing is relevant then."""
    found = evaluate(JUDGES + "q c d1 -1\n", "-Rqrels_jg", "-mmap_avgjg")
    assert found == {"map_avgjg": "0.4167"}
    assert evaluate("q c d1 -1\n", "-Rqrels_jg", "-mmap_avgjg", "-l-1") == {"map_avgjg": "   inf"}


def test_level_and_judged_only_apply_to_each_group(evaluate):
    """At level 2 only a has a relevant document; -J drops d9, and d3 for b."""
    assert evaluate(JUDGES, "-Rqrels_jg", "-l2", "-mmap_avgjg") == {"map_avgjg": "0.5000"}
    assert evaluate(JUDGES, "-Rqrels_jg", "-J", "-mP_avgjg.2") == {"P_avgjg_2": "0.7500"}


def test_a_repeated_document_in_a_group_is_rejected_when_read(evaluate):
    """The exit code is 2, whereas it is 4 for plain qrels."""
    code, message = evaluate(JUDGES + "q a d1 1\n", "-Rqrels_jg", "-mqrels_jg")
    assert code == 2
    assert message.endswith("judgments:6: duplicate docs d1 of query 'q'")


# d1 over d2 is violated, d1 and d2 over d3 are met; d4 was not retrieved, which meets two more.
LEVELS = "q a 0 d1 2\nq a 0 d2 1\nq a 0 d3 0\nq a 0 d4 0\n"


def test_preferences_of_one_judge(evaluate):
    """4 of 5 are met; between retrieved documents, 2 of 3."""
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
        # Two relevant documents and one other: another one is added below, and met twice.
        "prefs_avgjg_Rnonrel_ret": "0.8000",
        "prefs_simp_imp": "0.8000",
        "prefs_pair_imp": "0.8000",
        "prefs_avgjg_imp": "0.8000",
    }


def test_qrels_can_be_read_as_preferences(evaluate):
    """The second column is the judge."""
    qrels = LEVELS.replace(" a 0 ", " a ")
    found = evaluate(qrels, "-Rqrels_prefs", "-mall_prefs")
    assert found == evaluate(LEVELS, "-Rprefs", "-mall_prefs")


def test_preferences_without_a_retrieved_document_are_not_met(evaluate):
    """d5 over d4 is possible, unless only pairs with a retrieved document count."""
    found = evaluate(LEVELS + "q a 0 d5 3\n", "-Rprefs", "-mall_prefs")
    # d5 is preferred to four documents, one of which was not retrieved either.
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("9", "4")
    assert (found["prefs_simp"], found["prefs_simp_imp"]) == ("0.4444", "0.5000")
    assert (found["prefs_pair"], found["prefs_pair_imp"]) == ("0.4444", "0.5000")


def test_ties_of_preferences_go_to_the_lower_id(evaluate):
    """This is the opposite of all other formats."""
    found = evaluate(LEVELS, "-Rprefs", "-mprefs", run="q 0 d2 1 1 t\nq 0 d1 1 1 t\n")
    assert found["prefs_num_prefs_ful_ret"] == "1"


def test_judges_may_disagree(evaluate):
    """One prefers d1 to d2, one d2 to d1 and to d3: half of the first pair is met, then all."""
    two = "q a 0 d1 2\nq a 0 d2 1\nq b 0 d1 1\nq b 0 d2 2\nq b 0 d3 1\n"
    found = evaluate(two, "-Rprefs", "-mall_prefs")
    assert found["prefs_simp"] == "0.6667"
    assert found["prefs_pair"] == "0.7500"
    assert found["prefs_avgjg"] == "0.5000"


def test_subgroups_imply_further_preferences(evaluate):
    """d3 over d1 and d1 over d2 imply d3 over d2; nothing is known about d4."""
    text = "q a x d3 3\nq a x d1 2\nq a y d1 5\nq a y d2 4\nq a z d4 1\n"
    found = evaluate(text, "-Rprefs", "-mall_prefs")
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("3", "0")


def test_surplus_nonrelevant_documents_are_dropped(evaluate):
    """One of three stays; trec_eval also compares the last class with itself."""
    text = "q a 0 d1 1\nq a 0 d2 0\nq a 0 d3 0\nq a 0 d4 0\n"
    found = evaluate(text, "-Rprefs", "-mall_prefs")
    # d1, d2, d3 and d4 against d2: only the first is a preference, and it is not met.
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
def test_preferences_of_dropped_documents_are_dropped(evaluate, n_documents, expected):
    """Two stay: d2 and d4, both above the better one; or d2 and d3, which was not retrieved."""
    ids = ["d2", "d1", "d4", "d6", "d5", "d3"][:n_documents]
    run = "".join(f"q 0 {doc_id} 1 {-i} t\n" for i, doc_id in enumerate(ids))
    found = evaluate(SUBGROUPS, "-Rprefs", "-mall_prefs", run=run)
    assert found["prefs_num_prefs_poss"] == "4"
    assert found["prefs_avgjg_Rnonrel"] == expected


def test_a_query_without_preferences_scores_0(evaluate):
    """It has one document, or equal ones."""
    found = evaluate("q a 0 d1 0\nq a 0 d2 0\n", "-Rprefs", "-mall_prefs")
    assert set(found.values()) == {"0", "0.0000"}


def test_pairs_with_one_retrieved_document_count_in_their_scope(evaluate):
    """a: d2 over d5; b: d5 over d2 and over d1; half of two pairs is met, or nothing counts."""
    text = "q a 0 d2 2\nq a 0 d5 1\nq b 0 d5 2\nq b 0 d2 1\nq b 0 d1 1\n"
    found = evaluate(text, "-Rprefs", "-mprefs_pair", "-mprefs_pair_ret", "-mprefs_pair_imp")
    assert found == {
        "prefs_pair": "0.2500",
        "prefs_pair_ret": "0.0000",
        "prefs_pair_imp": "0.2500",
    }


def test_a_group_without_preferences_makes_the_balanced_mean_0(evaluate):
    """0 / 0 in one group makes the whole mean 0."""
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
def test_contradictions_of_a_judge_are_rejected(evaluate, contradiction):
    """The exit code is 4, even where trec_eval aborts."""
    expected = (4, "query 'q': the judgments of group 'a' contradict each other")
    assert evaluate(LEVELS + contradiction, "-Rprefs", "-mprefs") == expected


def test_preferences_have_five_columns(evaluate):
    """The level must be a number."""
    code, message = evaluate("q a d1 1\n", "-Rprefs", "-mprefs")
    assert (code, message[message.index("expected") :]) == (
        2,
        "expected 5 columns (query, group, subgroup, document, level), found 4",
    )
    assert evaluate("q a 0 d1 nan\n", "-Rprefs", "-mprefs")[1].endswith(
        "judgments:1: expected a level, found nan"
    )


def test_10_scores_missing_queries_of_groups_and_preferences(evaluate):
    """With -c they have a ranking without judged documents."""
    flags = ("-c", "--compat=10.0")
    run = "other Q0 d1 1 1 t\n"
    assert evaluate(JUDGES, "-Rqrels_jg", "-mmap_avgjg", *flags, run=run) == {"map_avgjg": "0.0000"}
    found = evaluate(LEVELS, "-Rprefs", "-mprefs_num_prefs_poss", *flags, run=run)
    assert found == {"prefs_num_prefs_poss": "5"}
