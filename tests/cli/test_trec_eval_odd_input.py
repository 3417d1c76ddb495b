"""berryeval trec_eval: rejected and unusual input."""

import os
import threading

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from trec_eval_command import QRELS, RUN, printed, refused, trec_eval, write

pytestmark = pytest.mark.usefixtures("data")

FOUR = "expected 4 columns (query, iteration, document, grade)"
SIX = "expected 6 columns (query, Q0, document, rank, score, tag)"
NO_NAN = "expected a score, found nan, which cannot be ordered"


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("qrels", QRELS + "\n", 2, f"qrels:7: {FOUR}, found 0"),
        ("qrels", "q 0 a 1 x\n", 2, f"qrels:1: {FOUR}, found 5"),
        ("qrels", "q 0 a\n", 2, f"qrels:1: {FOUR}, found 3"),
        ("qrels", "", 2, "qrels: expected lines, found an empty file"),
        ("qrels", "q 0 \0 1\n", 2, "qrels: expected text, found a zero byte"),
        ("qrels", "q2 0 a 1\nq2 1 a 1\n", 4, "duplicate docs a of query 'q2' in the judgments"),
        ("qrels", "q2 0 a -1\n", 4, "query 'q2': expected a grade, at least 0, found none"),
        ("run", "q1 Q0 a 1 1\n", 2, f"run:1: {SIX}, found 5"),
        ("run", "q1 Q0 a 1 -nan t\n", 2, f"run:1: {NO_NAN}"),
        ("run", "", 2, "run: expected lines, found an empty file"),
        ("run", " \n", 7, "no queries with both results and relevance info"),
        ("run", RUN + "q1 0 d9 1 1 t\n", 4, "duplicate docs d9 of query 'q1' in the run"),
    ],
)  # fmt: skip
def test_files_that_trec_eval_rejects_are_rejected(name, text, code, message):
    """The message is one line, with trec_eval's exit code."""
    write(name, text)
    assert refused() == (code, message)


def test_repeats_matter_only_if_they_are_seen():
    """Queries that are not scored, and measures without rankings, ignore them."""
    write("qrels", QRELS + "q8 0 a 1\nq8 0 a 1\n")
    assert trec_eval().exit_code == 0
    write("run", RUN + "q1 0 d9 1 1 t\n")
    assert printed("-mnum_q", "-mrunid") == {("runid", "all"): "t", ("num_q", "all"): "2"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-mndgc"], 1, "illegal measure 'ndgc'"),
        (["-mP_5"], 1, "illegal measure 'P_5'"),
        (["-mP."], 1, "illegal measure 'P.'"),
        (["-munj"], 1, "illegal measure 'unj'"),
        (["-mprefs_simp"], 4, "prefs_simp cannot be computed from -R qrels"),
        (["-mmap_avgjg"], 4, "map_avgjg cannot be computed from -R qrels"),
        (["-Rqrels_jg", "-mmap"], 4, "map cannot be computed from -R qrels_jg"),
        (
            ["-mrbp", "--compat=10.0"],
            1,
            "rbp has no defined value in trec_eval 10.0: use berryeval evaluate -m RBP",
        ),
        (["--nope"], 1, "No such option '--nope'."),
        (["-Znowhere"], 255, "nowhere: cannot be read: No such file or directory"),
        (["third"], 1, "expected QRELS and RUN, found 3 files"),
        (
            ["-Rother"],
            2,
            "-R: expected qrels or qrels_jg or prefs or qrels_prefs, found 'other'",
        ),
        (["-Tother"], 2, "-T: expected trec_results, found 'other'"),
        (["-M-1"], 2, "-M: expected a number of documents, at least 0, found -1"),
        (["-mP.abc"], 2, "measure P: expected cutoffs, at least 1, each once, found 'abc'"),
        (["-mP.5,0"], 2, "measure P: expected cutoffs, at least 1, each once, found '5,0'"),
        (["-mP.5,5"], 2, "measure P: expected cutoffs, at least 1, each once, found '5,5'"),
        (["-mRprec_mult.1,1"], 2, "measure Rprec_mult: expected cutoffs, each once, found '1,1'"),
        (["-mndcg.1"], 2, "measure ndcg: expected pairs grade=gain, found '1'"),
        (
            ["-mndcg.1=3,1=2"],
            2,
            "measure ndcg: expected finite gains, each grade once and none of -1 and -2, "
            "found '1=3,1=2'",
        ),
        (
            ["-mG.-1=3"],
            2,
            "measure G: expected finite gains, each grade once and none of -1 and -2, found '-1=3'",
        ),
        (["-mset_F.inf"], 2, "measure set_F: expected finite numbers, found 'inf'"),
        (
            ["-mrbp_resid.p=1", "--compat=10.0"],
            2,
            "measure rbp_resid: expected p= and a number between 0 and 1, found 'p=1'",
        ),
        (["-mutility.1,2"], 4, "utility: expected 4 coefficients, found 2"),
    ],
)
def test_invalid_requests_are_reported(arguments, code, message):
    """The message is one line, with trec_eval's exit code."""
    assert refused(*arguments) == (code, message)


def test_a_missing_file_is_an_error():
    """The exit code is 2."""
    assert refused(files=("nowhere", "run"))[0] == 2


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (["--query"], ["-q"]),
        (["--meas=map", "--nosum", "--q"], ["-mmap", "-n", "-q"]),
        (["--comp"], ["-c"]),
        (["--Max=1"], ["-M1"]),
        (["--Rel", "qrels", "--Out", "x"], ["-Rqrels", "-o"]),
    ],
)
def test_long_flags_may_be_abbreviated(long, short):
    """They must stay unambiguous; --compat does not interfere with trec_eval's flags."""
    result = trec_eval(*long)
    assert (result.exit_code, result.stdout) == (0, trec_eval(*short).stdout)


def test_ambiguous_abbreviations_are_unknown():
    """--Re fits two flags; after -- there are no flags."""
    assert refused("--Re", "qrels")[0] == 1
    assert refused("-mmap", "--", "--q")[0] == 1


def test_the_version_goes_to_standard_error():
    """trec_eval does the same, and nothing is on standard output."""
    for flag in ("-v", "--version"):
        result = trec_eval(flag, "-mnope")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith("trec_eval version 9.0.8, or 10.0, by berryeval ")


def test_help_explains_the_measures_and_the_format():
    """The texts are ours, for the names in -m and -R."""
    result = trec_eval("-h", "-mndcg", "-mprefs_avgjg_Rnonrel_ret", "-mrunid", "-Rprefs", files=())
    assert result.exit_code == 0
    assert "\nprefs: query group subgroup document level; " in result.stdout
    assert "\nrunid: The tag in the last line of the run.\n" in result.stdout
    assert "\nndcg: Normalised discounted cumulative gain. " in result.stdout
    assert "relevant ones: of those between retrieved documents.\n" in result.stdout
    assert "map:" not in trec_eval("--help", files=()).stdout
    assert trec_eval("-h", "-mnope").exit_code == 1


@pytest.mark.parametrize("flag", ["-D0.q2", "-D 3.q2", "--Debug_level=x.q2"])
def test_one_query_can_be_selected(flag):
    """The others are not scored; -c still divides by all of them."""
    assert printed(flag, "-q", "-mnum_q", "-mmap") == {
        ("map", "q2"): "1.0000",
        ("num_q", "all"): "1",
        ("map", "all"): "1.0000",
    }
    assert printed(flag, "-c", "-mmap")["map", "all"] == "0.3333"
    assert refused("-D0.q9", "-mmap")[0] == 7
    assert printed("-D2", "-mnum_q")["num_q", "all"] == "2"


def test_a_negative_level_makes_unjudged_documents_relevant():
    """d4 and d2 are judged, d9 is not, d5 was in the pool: at -2 all four of three are found."""
    found = printed("-l", "-2", "-q", "-mmap", "-mnum_rel", "-mnum_rel_ret", "-miprec_at_recall.1")
    assert found["map", "q1"] == "1.3333"
    assert (found["num_rel", "q1"], found["num_rel_ret", "q1"]) == ("3", "2")
    assert found["iprec_at_recall_1.00", "q1"] == "0.0000"
    found = printed("-l-1", "-q", "-miprec_at_recall.0,.5", "-mRprec_mult.1", "-m11pt_avg.0,.5")
    assert [value for (_, query), value in found.items() if query == "q1"] == [
        "0.6667",  # two found, but at rank 3, where d9 is met
        "0.6667",
        "0.6667",
        "0.6667",
    ]


def test_undefined_values_of_yaap_are_an_error():
    """More is found than exists, so a logarithm is undefined."""
    write("qrels", "q1 0 d1 0\n")
    write("run", "q1 0 d1 1 1 t\nq1 0 d2 1 1 t\n")
    assert printed("-l-1", "-myaap")["yaap", "all"] == "   inf"
    with open("run", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write("q1 0 d3 1 1 t\n")
    assert refused("-l-1", "-myaap") == (4, "yaap is undefined for this level and ranking")


def test_unusual_parameters_give_the_values_of_trec_eval():
    """Gains, weights and shares may be negative, recall points unsorted."""
    words = ["ndcg.1=-2", "set_F.-0.5", "iprec_at_recall.-1", "Rprec_mult.-1", "11pt_avg.0,1,.5"]
    found = printed("-q", *(f"-m{word}" for word in words))
    assert {name: value for (name, query), value in found.items() if query == "q1"} == {
        "ndcg_1=-2": "-0.6309",
        "set_F_-0.5": "0.1667",
        "iprec_at_recall_-1.00": "0.5000",
        "Rprec_mult_-1.00": "0.0000",
        "11pt_avg_0,1,.5": "0.5000",  # 1, which was not reached, takes the value of the next one
    }
    assert printed("-mset_F.-1", "-mRndcg.1=-1")["set_F_-1", "all"] == "0.0000"
    write("run", "q1 0 d1 1 1 t\n")
    assert printed("-mset_F.-0.5", "-q")["set_F_-0.5", "q1"] == "   inf"  # P 1, R 1/2


def test_gains_of_invalid_grades_count_only_in_9():
    """9.0.8 reads the letter as 0, and 10.0 ignores it."""
    write("qrels", "q1 0 d1 1\nq1 0 d4 0\n")
    assert printed("-mndcg.a=5")["ndcg_a=5", "all"] != printed("-mndcg")["ndcg", "all"]
    found = printed("-mndcg.a=5", "-c", "--compat=10.0")
    assert found["ndcg_a=5", "all"] == printed("-mndcg")["ndcg", "all"]


def test_percent_signs_are_printed_literally():
    """This holds in a query, a parameter and a tag."""
    write("qrels", "100%d 0 a 1\n")
    write("run", "100%d 0 a 1 1 %s\n")
    assert printed("-q", "-mrunid", "-mset_F.1%d") == {
        ("set_F_1%d", "100%d"): "1.0000",
        ("runid", "all"): "%s",
        ("set_F_1%d", "all"): "1.0000",
    }


Z = "q1 map 0.5 0.25\nq1 num_ret 2 2\nq1 gm_map 0 1\nq2 map 1 0\nq2 num_ret 2 0\nq0 P_5 0 1\n"


def test_z_scores_are_deviations_from_means():
    """Names have a Z, counts have four digits, and missing values are -1000000."""
    write("z", Z)
    names = ["-mmap", "-mnum_ret", "-mnum_q", "-mrunid", "-mrelstring", "-mgm_map", "-mP.5"]
    assert trec_eval("-q", "-Zz", *names).stdout == (
        "Znum_ret               \tq1\t1.0000\n"
        "Zmap                   \tq1\t-1.0000\n"
        "ZP_5                   \tq1\t-1000000.0000\n"
        "relstring             \tq1\t'01-.'\n"
        "Znum_ret               \tq2\t-1000000.0000\n"
        "Zmap                   \tq2\t0.0000\n"
        "ZP_5                   \tq2\t-1000000.0000\n"
        "relstring             \tq2\t'1'\n"
        "runid                 \tall\tlast\n"
        "Znum_q                 \tall\t2.0000\n"
        "Znum_ret               \tall\t-999999.0000\n"
        "Zmap                   \tall\t-0.5000\n"
        "Zgm_map                \tall\t0.0000\n"
        "ZP_5                   \tall\t-1000000.0000\n"
    )


def test_z_scores_of_the_last_measure_use_the_next_entry():
    """As in trec_eval, the next query's first measure is used; there is none after the last."""
    write("z", "q1 map 0 1\nq2 recip_rank 0.5 0.5\n")
    found = printed("-q", "-Zz", "-mrecip_rank", "-mset_P")
    assert found["Zrecip_rank", "q1"] == "0.0000"
    assert found["Zset_P", "q1"] == found["Zset_P", "q2"] == "-1000000.0000"
    write("z", "q1 map 0 1\n")
    assert printed("-q", "-Zz", "-mmap")["Zmap", "q2"] == "-1000000.0000"


def test_z_scores_may_be_huge():
    """Their geometric mean may be infinite."""
    write("z", "q1 gm_map -1e6 1\nq2 gm_map -1e6 1\nq2 map -inf 1\n")
    assert printed("-Zz", "-mgm_map", "-mmap") == {
        ("Zmap", "all"): "   inf",
        ("Zgm_map", "all"): "   inf",
    }


def test_z_scores_from_nan_are_nan():
    """trec_eval 9.0.8 ships such a test; the sign is that of the file."""
    write("z", "q1 map nan 1\nq1 P_5 0.1 nan\nq1 recall_5 -nan nan\nq2 P_5 0.1 0.1\n")
    assert trec_eval("-q", "-Zz", "-mmap", "-mP.5", "-mrecall.5").stdout == (
        "Zmap                   \tq1\t   nan\n"
        "ZP_5                   \tq1\t   nan\n"
        "Zrecall_5              \tq1\t  -nan\n"
        "Zmap                   \tq2\t-1000000.0000\n"
        "ZP_5                   \tq2\t1.0000\n"
        "Zrecall_5              \tq2\t-1000000.0000\n"
        "Zmap                   \tall\t   nan\n"
        "ZP_5                   \tall\t   nan\n"
        "Zrecall_5              \tall\t  -nan\n"
    )


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("q map 1\n", 255, "z:1: expected 4 columns (query, measure, mean, deviation), found 3"),
        ("", 255, "z: expected lines, found an empty file"),
        ("q1 map inf inf\n", 4, "query 'q1': the z-score of map is undefined"),
    ],
)
def test_invalid_z_scores_are_rejected(text, code, message):
    """trec_eval exits with 255, or divides infinity by infinity."""
    write("z", text)
    assert refused("-Zz", "-mmap") == (code, message)


BELOW = {
    "num_rel": "5", "num_rel_ret": "4", "Rprec": "1.0000", "bpref": "0.8000",
    "recip_rank": "1.0000", "iprec_at_recall_0.00": "0.5714", "iprec_at_recall_0.60": "0.5714",
    "iprec_at_recall_1.00": "0.0000", "P_1": "1.0000", "P_3": "1.0000", "recall_3": "0.6000",
    "infAP": "0.5362", "Rprec_mult_0.40": "0.0000", "Rprec_mult_1.00": "0.4000",
    "Rprec_mult_2.00": "0.4000", "utility": "1.0000", "binG": "1.4000", "map_cut_3": "0.6000",
    "relative_P_3": "1.0000", "success_1": "1.0000", "set_P": "0.5714",
    "set_relative_P": "0.8000", "set_recall": "0.8000", "set_map": "0.4571", "set_F": "0.6667",
    "num_nonrel_judged_ret": "0",
}  # fmt: skip


def test_each_measure_interprets_a_negative_level_differently():
    """trec_eval 9.0.4 counts by grade for some, and by ranking for others."""
    write("qrels", "q 0 a 1\nq 0 b 2\nq 0 c 0\nq 0 d -1\nq 0 e 1\nq 0 f 0\n")
    write("run", "".join(f"q 0 {doc_id} 1 {-i} t\n" for i, doc_id in enumerate("xcadbyf")))
    words = ["iprec_at_recall.0,.6,1", "P.1,3", "recall.3", "Rprec_mult.0.4,1,2", "map_cut.3"]
    words += ["relative_P.3", "success.1", *(name for name in BELOW if not name[-1].isdigit())]
    found = printed("-q", "-l-2", *(f"-m{word}" for word in words))
    assert {name: value for (name, query), value in found.items() if query == "q"} == BELOW
    assert printed("-q", "-J", "-mrelstring")["relstring", "q"] == "'0120'"


def test_multiples_of_r_range_from_a_fifth_to_double():
    """There are ten, including for judgment groups."""
    expected = [f"{n / 10:3.2f}" for n in range(2, 21, 2)]
    assert [name[-4:] for name, _ in printed("-mRprec_mult")] == expected
    assert [name[-4:] for name, _ in printed("-mRprec_mult_avgjg", "-Rqrels_jg")] == expected


@pytest.mark.parametrize("n_queries", [199, 200, 401, 500, 1001])
def test_many_queries_are_printed_completely_and_in_order(n_queries):
    """They are printed in pieces, including those before an error."""
    ids = [f"{i:04}" for i in range(n_queries)]
    write("qrels", "".join(f"{query_id} 0 a 1\n" for query_id in ids))
    write("run", "".join(f"{query_id} 0 a 1 1 t\n" for query_id in ids))
    assert [query for _, query in printed("-q", "-mmap")] == [*ids, "all"]
    with open("run", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f"{ids[-1]} 0 a 1 1 t\n")
    result = trec_eval("-q", "-mmap")
    assert (result.exit_code, len(result.stdout.splitlines())) == (4, n_queries - 1)


def test_pipes_are_read(tmp_path):
    """They can be read only once, so the fast path is not used."""
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    texts = {qrels: "1 0 a 1\n", run: "1 Q0 a 1 1 t\n"}
    writers = []
    for path, text in texts.items():
        os.mkfifo(path)
        writers.append(threading.Thread(target=path.write_text, args=(text,)))
    for writer in writers:
        writer.start()
    result = CliRunner().invoke(main, ["trec_eval", "-m", "map", str(qrels), str(run)])
    for writer in writers:
        writer.join()
    assert result.output == "map                   \tall\t1.0000\n"


def test_a_relstring_may_request_more_than_exists(tmp_path):
    """This holds for any number of documents."""
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n")
    run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 c 3 0 t\n")
    for length in (2, 1000, 1001, 20_000_000_000, 3689348814741910324):
        arguments = ["trec_eval", "-q", "-m", f"relstring.{length}", str(qrels), str(run)]
        result = CliRunner().invoke(main, arguments)
        shown = "10-"[:length]
        assert result.output.split() == [f"relstring_{length}", "1", f"'{shown}'"]
