"""berryeval trec_eval: output for each flag and version."""

import subprocess
import sys

import pytest

from trec_eval_command import QRELS, RUN, printed, refused, trec_eval, write

pytestmark = pytest.mark.usefixtures("data")

OFFICIAL = """\
runid                 \tall\tlast
num_q                 \tall\t2
num_ret               \tall\t5
num_rel               \tall\t3
num_rel_ret           \tall\t2
map                   \tall\t0.6250
gm_map                \tall\t0.5000
Rprec                 \tall\t0.7500
bpref                 \tall\t0.5000
recip_rank            \tall\t0.7500
iprec_at_recall_0.00  \tall\t0.7500
iprec_at_recall_0.10  \tall\t0.7500
iprec_at_recall_0.20  \tall\t0.7500
iprec_at_recall_0.30  \tall\t0.7500
iprec_at_recall_0.40  \tall\t0.7500
iprec_at_recall_0.50  \tall\t0.7500
iprec_at_recall_0.60  \tall\t0.5000
iprec_at_recall_0.70  \tall\t0.5000
iprec_at_recall_0.80  \tall\t0.5000
iprec_at_recall_0.90  \tall\t0.5000
iprec_at_recall_1.00  \tall\t0.5000
P_5                   \tall\t0.2000
P_10                  \tall\t0.1000
P_15                  \tall\t0.0667
P_20                  \tall\t0.0500
P_30                  \tall\t0.0333
P_100                 \tall\t0.0100
P_200                 \tall\t0.0050
P_500                 \tall\t0.0020
P_1000                \tall\t0.0010
"""


@pytest.mark.parametrize("flags", [[], ["-m", "official"], ["-mofficial", "-mmap"]])
def test_the_default_is_the_official_measures(flags):
    """Names are padded to 22 columns, means have four digits, the tag is the last line's."""
    result = trec_eval(*flags)
    assert (result.exit_code, result.stdout) == (0, OFFICIAL)


def test_the_bytes_are_the_same_through_a_pipe():
    """Lines end in line feeds, and ids that are not text are unchanged."""
    with open("qrels", "ab") as file:  # noqa: PTH123
        file.write(b"\xff\xfe 0 d1 1\n")
    with open("run", "ab") as file:  # noqa: PTH123
        file.write(b"\xff\xfe Q0 d1 1 1 t\xe9g\r\n")
    arguments = [sys.executable, "-m", "berryeval", "trec_eval", "-q", "-mmap", "-mrunid"]
    done = subprocess.run([*arguments, "qrels", "run"], capture_output=True, check=True)
    assert done.stdout == (
        b"map                   \tq1\t0.2500\nmap                   \tq2\t1.0000\n"
        b"map                   \t\xff\xfe\t1.0000\n"
        b"runid                 \tall\tt\xe9g\nmap                   \tall\t0.7500\n"
    )


def test_queries_are_sorted_by_bytes_and_measures_by_the_registry():
    """The order of lines and of -m does not matter."""
    write("qrels", "2 0 a 1\n10 0 a 1\n1 0 a 1\n")
    write("run", "2 Q0 a 1 1 t\n1 Q0 a 1 1 t\n10 Q0 a 1 1 t\n")
    keys = list(printed("-q", "-m", "success.1", "-m", "map", "-m", "num_q"))
    assert keys == [
        *((name, query) for query in ("1", "10", "2") for name in ("map", "success_1")),
        *((name, "all") for name in ("num_q", "map", "success_1")),
    ]


def test_geometric_means_and_texts_have_their_own_positions():
    """gm_map, num_q and runid are in the summary only; relstring is not."""
    names = ["-mgm_map", "-mnum_q", "-mrunid", "-mrelstring"]
    assert list(printed("-q", *names)) == [
        ("relstring", "q1"),
        ("relstring", "q2"),
        ("runid", "all"),
        ("num_q", "all"),
        ("gm_map", "all"),
    ]


def test_relstring_shows_grades_in_rank_order():
    """Unjudged is -, a negative grade a point, and a grade above 9 a bracket."""
    assert printed("-q", "-mrelstring")["relstring", "q1"] == "'01-.'"
    assert printed("-q", "-mrelstring.2")["relstring_2", "q1"] == "'01'"
    assert printed("-q", "-mrelstring.2,1")["relstring_2,1", "q1"] == "'01'"
    write("qrels", "q1 0 d4 10\nq1 0 d2 9\n")
    assert printed("-q", "-mrelstring")["relstring", "q1"] == "'>9--'"


@pytest.mark.parametrize("flag", ["-c", "--complete_rel_info_wanted"])
def test_complete_averages_over_all_judged_queries(flag):
    """q3 counts as 0 and is not printed; num_rel counts all grades above 0, regardless of -l."""
    found = printed(flag, "-q", "-l2", "-m", "official")
    assert {query for _, query in found} == {"q1", "q2", "all"}
    found = printed(flag, "-m", "official")
    assert found["num_q", "all"] == "3"
    assert found["num_rel", "all"] == printed(flag, "-l2")["num_rel", "all"] == "4"
    assert found["map", "all"] == "0.4167"
    assert found["gm_map", "all"] == "0.0136"  # the cube root of 0.25 * 1 * 0.00001


@pytest.mark.parametrize("flags", [["-l", "2"], ["-l2"], ["--level_for_rel=2"], ["-l", "2.9x"]])
def test_level_sets_the_lowest_relevant_grade(flags):
    """Only d1 has a grade of 2, and it was not retrieved; nDCG ignores the level."""
    found = printed(*flags, "-m", "num_rel", "-m", "map", "-m", "ndcg")
    assert (found["num_rel", "all"], found["map", "all"]) == ("1", "0.0000")
    assert found["ndcg", "all"] == printed("-m", "ndcg")["ndcg", "all"] != "0.0000"


def test_level_0_makes_every_judged_document_relevant():
    """d4 of grade 0 counts; d9 without a judgment and d5 with a negative one do not."""
    found = printed("-l0", "-q", "-mnum_rel", "-mnum_rel_ret")
    assert (found["num_rel", "q1"], found["num_rel_ret", "q1"]) == ("3", "2")


def test_judged_only_removes_unjudged_documents():
    """This includes documents with a negative grade."""
    write("run", "q1 Q0 d9 1 9 t\nq1 Q0 d5 1 8 t\nq1 Q0 d2 1 1 t\n")
    assert printed("-J", "-q", "-mrelstring", "-mnum_ret", "-mrecip_rank") == {
        ("num_ret", "q1"): "1",
        ("recip_rank", "q1"): "1.0000",
        ("relstring", "q1"): "'1'",
        ("num_ret", "all"): "1",
        ("recip_rank", "all"): "1.0000",
    }


def test_judged_only_with_nothing_left_is_0():
    """trec_eval divides by 0 and prints -nan."""
    write("run", "q1 Q0 d9 1 9 t\n")
    assert printed("-J", "-miprec_at_recall.0")["iprec_at_recall_0.00", "all"] == "0.0000"


@pytest.mark.parametrize("flags", [["-M", "1"], ["-M1"], ["--Max_retrieved_per_topic", "1"]])
def test_max_retrieved_applies_after_sorting(flags):
    """The best document of each query stays, and repeats below are ignored."""
    with open("run", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write("q1 Q0 d9 1 0 last\n")
    assert printed(*flags, "-q", "-mrelstring")["relstring", "q1"] == "'0'"


def test_without_a_summary_the_output_may_be_empty():
    """-n alone prints nothing; with -q it prints queries."""
    assert trec_eval("-n").stdout == ""
    assert {query for _, query in printed("-nq")} == {"q1", "q2"}


def test_the_size_of_the_collection_is_used_by_utility():
    """It sets the number of other documents: 10 + 1 - 4 - 2 for q1, 10 + 1 - 1 - 1 for q2."""
    found = printed("-N10", "-q", "-m", "utility.0,0,0,1")
    assert [found["utility_0,0,0,1", query] for query in ("q1", "q2")] == ["5.0000", "9.0000"]


def test_parameters_are_sorted_and_parsed_as_far_as_possible():
    """Cutoffs become part of names, other parameters stay as written."""
    words = ["P.10,5", "ndcg_cut.23.4", "Rprec_mult.1,.5", "set_F.0.5", "ndcg.1=3,2=9", "map.7"]
    found = printed(*(f"-m{word}" for word in words), "-m11pt_avg..25,.5")
    assert [name for name, _ in found] == [
        "map", "P_5", "P_10", "Rprec_mult_0.50", "Rprec_mult_1.00", "11pt_avg_.25,.5",
        "ndcg_1=3,2=9", "ndcg_cut_23", "set_F_0.5",
    ]  # fmt: skip
    assert found["11pt_avg_.25,.5", "all"] == "0.7500"


def test_the_first_list_of_parameters_is_used():
    """It also takes precedence over that of a nickname."""
    assert list(printed("-mP.5", "-mP.10")) == [("P_5", "all")]
    assert ("P_100", "all") not in printed("-mofficial", "-mP.5")


def test_nicknames_contain_the_measures_of_trec_eval():
    """set has 11; all_trec has 34 in 9.0.8, and also unj and rbp_resid in 10.0."""
    assert len(printed("-mset", "-q")) == 2 * 9 + 11
    old = {name for name, _ in printed("-q", "-mall_trec")}
    new = {name for name, _ in printed("-q", "-mall_trec", "-c", "--compat=10.0")}
    assert new - old == {"rbp_resid", "unj_5", "unj_10", "unj_20"}


def test_numbers_are_parsed_as_in_c():
    """Grades end at the first letter or point; scores may be hexadecimal, infinite, or words."""
    write("qrels", "q 0 a 1.9\nq 0 b 2e1\nq 0 c abc\nq 0 d +3\nq 0 e 0x1\nq 0 f 4abc\n")
    write(
        "run",
        "q 0 a 1 0x10 t\nq 0 b 1 inf t\nq 0 c 1 abc t\nq 0 d 1 1,5 t\nq 0 e 1 .5 t\n"
        "q 0 f 1 -0x1p9999 t\n",
    )
    assert printed("-q", "-mrelstring")["relstring", "q"] == "'213004'"


def test_scores_have_32_bits_in_9_and_64_in_10():
    """Scores that tie in 32 bits are ordered by id, the greater one first."""
    write("qrels", "q 0 a 1\n")
    write("run", "q 0 a 1 1.00000002 t\nq 0 b 1 1.00000001 t\nq 0 c 1 1 t\nq 0 d 1 1e39 t\n")
    assert printed("-mrecip_rank")["recip_rank", "all"] == "0.2500"
    assert printed("-mrecip_rank", "--compat", "10.0")["recip_rank", "all"] == "0.5000"


def test_recall_points_are_rounded_to_the_nearest_in_10():
    """Of three relevant documents, 0.4 means 2 in 9.0.8 and 1 in 10.0."""
    write("qrels", "q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    write("run", "q 0 a 1 1 t\n")
    point = ("iprec_at_recall_0.40", "all")
    assert printed("-miprec_at_recall")[point] == "0.0000"
    assert printed("-miprec_at_recall", "--compat=10.0")[point] == "1.0000"
    assert printed("-m11pt_avg")["11pt_avg", "all"] == "0.3636"
    assert printed("-m11pt_avg", "--compat=10.0")["11pt_avg", "all"] == "0.4545"


def test_10_prints_missing_queries():
    """They are 0, except for measures with parameters, as in 10.0."""
    measures = ["-mall_trec", "-mutility.1,-2,-1,0", "-mrelstring.5", "-mrbp_resid.p=0.8", "-myaap"]
    found = printed("-c", "-q", "--compat=10.0", *measures)
    leaked = {name for (name, query), value in found.items() if query == "q3" and value > "0.0000"}
    assert leaked == {"num_rel", "rbp_resid_p=0.8"}
    assert found["rbp_resid_p=0.8", "q3"] == "1.0000"
    assert found["utility_1,-2,-1,0", "q3"] == "-3.0000"
    assert found["relstring_5", "q3"] == "'-'"
    assert found["yaap", "q3"] == "-0.6931"
    found = printed("-c", "-q", "--compat=10.0", "-mset", "-mrelstring", "-munj.1")
    assert [found[name, "q3"] for name in ("num_ret", "utility", "relstring", "unj_1")] == [
        "0",
        "0.0000",
        "''",
        "0.0000",
    ]


def test_10_reads_comments_and_standard_input():
    """9.0.8 does neither."""
    commented = f"# a run\n  # indented\n{RUN}# the end"
    write("qrels", f"# judged\n{QRELS}")
    arguments = ["-c", "-mmap", "--compat=10.0"]
    assert printed(*arguments, files=("qrels", "-"), stdin=commented)["map", "all"] == "0.4167"
    assert refused("-c")[0] == 2
    write("qrels", QRELS)
    assert refused("-c", files=("qrels", "-"), stdin=RUN)[0] == 2


def test_10_scores_a_run_without_a_common_query_if_complete():
    """9.0.8 rejects it."""
    write("run", "q9 0 a 1 1 t\n")
    expected = (7, "no queries with both results and relevance info")
    assert refused("-c") == expected
    assert printed("-c", "-mmap", "--compat=10.0") == {("map", "all"): "0.0000"}


def test_10_fails_at_a_missing_query():
    """The exit code is 4, unless -c is given; earlier output is kept."""
    result = trec_eval("-q", "-mmap", "--compat=10.0")
    assert (result.exit_code, len(result.stdout.splitlines())) == (4, 2)
    assert "query 'q3' is not in the run" in result.stderr
