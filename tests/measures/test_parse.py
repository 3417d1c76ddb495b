"""Parsing measures: BerryEval's names, and those of other tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import (
    BerryEvalError,
    InputTypeError,
    MeasureSyntaxError,
    UnknownMeasureError,
)
from berryeval.measures import NDCG, all_measures, parse_measure, parse_measures
from berryeval.measures.parse import parse_trec_eval
from cases import parameters_of
from depth import examples

every_measure = pytest.mark.parametrize("measure", all_measures(), ids=lambda m: m.name)


@every_measure
@examples(50)
@given(data=st.data())
def test_a_printed_measure_is_parsed_as_itself(measure, data):
    """This holds for any parameters, and within a list."""
    value = data.draw(parameters_of(measure))
    assert parse_measure(str(value)) == value
    assert parse_measures(f"{value},nDCG@3 {value}") == tuple(dict.fromkeys([value, NDCG(3)]))


@every_measure
def test_a_measure_is_parsed_by_each_of_its_names(measure):
    """Names and aliases work in any case, with a cutoff if it takes one."""
    for name in (measure.name, *measure.aliases):
        cutoff = {"k": "@10", None: "", "percentile": "@p95"}.get(measure.at, "@0.5")
        if name.startswith("set_"):
            cutoff = ""
        for text in (name, name.upper(), name.lower()):
            if text != "rbp":  # see test_a_name_with_two_meanings_is_refused
                assert type(parse_measure(text + cutoff)) is measure


OURS = {
    "nDCG@10": "nDCG@10",
    "ndcg@10": "nDCG@10",
    "NDCG @10".replace(" ", ""): "nDCG@10",
    "AP(rel=2)@100": "AP(rel=2)@100",
    "nDCG(gain=exp2)@10": "nDCG(gain=exp2)@10",
    "nDCG( gain = {2: 9, 1: 3} )@10": "nDCG(gain={1:3,2:9})@10",
    "RBP(p=0.8)": "RBP",
    "RBP(p=.5)": "RBP(p=0.5)",
    "F(beta=0.5)@5": "F(beta=0.5)@5",
    "F1@5": "F1@5",
    "R@100": "R@100",
    "R": "SetR",
    "AP": "AP",
    "IPrec@0.25": "IPrec@0.25",
    "Utility(worth=[1, -2, 0, 0])": "Utility(worth=[1,-2,0,0])",
    "nDCG(k=5)": "nDCG@5",
    "ERR(max_grade=3)@20": "ERR(max_grade=3)@20",
    "RBP(max_grade=None)@10": "RBP@10",
}

TREC_EVAL = {
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "NDCG_CUT_10": "nDCG@10",
    "P_5": "P@5",
    "P.5": "P@5",
    "recall_100": "R@100",
    "map": "AP",
    "map_cut_100": "AP@100",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "Rprec_mult_0.20": "RprecMult@0.2",
    "bpref": "Bpref",
    "gm_bpref": "GMBpref",
    "recip_rank": "RR",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "11pt_avg": "AP11",
    "relative_P_10": "RelP@10",
    "success_1": "Success@1",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_relative_P": "SetRelP",
    "set_map": "SetAP",
    "set_F": "SetF",
    "set_F.0.5": "SetF(x=0.5)",
    "set_F_0.5": "SetF(x=0.5)",
    "utility": "Utility",
    "utility.1,-2,0,0": "Utility(worth=[1,-2,0,0])",
    "utility_1,-2,0,0": "Utility(worth=[1,-2,0,0])",
    "infAP": "infAP",
    "yaap": "yaap",
    "ndcg": "nDCG",
    "ndcg.1=3,2=9": "nDCG(gain={1:3,2:9})",
    "ndcg_1=3,2=9": "nDCG(gain={1:3,2:9})",
    "ndcg_rel": "nDCGRel",
    "Rndcg.1=3.5": "Rndcg(gain={1:3.5})",
    "G.1=3,2=9": "G(gain={1:3,2:9})",
    "binG": "binG",
    "dcg": "DCG",
    "ideal_dcg": "IDCG",
    "rbp": "RBP(p=0.9)",
    "rbp.p=0.7": "RBP(p=0.7)",
    "rbp_resid": "RBPResidual(p=0.9)",
    "unj_5": "Unjudged@5",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
}

IR_MEASURES = {
    "nDCG(dcg='exp-log2')@10": "nDCG(gain=exp2)@10",
    'nDCG(dcg="log2")@10': "nDCG@10",
    "nDCG(gains={1:0,2:1})@10": "nDCG(gain={1:0,2:1})@10",
    "nDCG(cutoff=5)": "nDCG@5",
    "P(rel=2)@5": "P(rel=2)@5",
    "P(judged_only=False)@5": "P@5",
    "P(judged_only=True)@5": "P(judged_only=True)@5",
    "nDCG(judged_only=True,dcg='exp-log2')@10": "nDCG(gain=exp2,judged_only=True)@10",
    "Accuracy": "PairwiseAccuracy",
    "Accuracy(rel=2)": "PairwiseAccuracy(rel=2)",
    "BPM(T=1.0,max_rel=1)@20": "BPM@20",
    "BPM(T=2.0,min_rel=1,max_rel=3)@10": "BPM(T=2,min_grade=1,max_grade=3)@10",
    "Compat": "Compat",
    "Compat(p=0.8)": "Compat(p=0.8)",
    "Compat(normalize=False)": "Compat(normalise=False)",
    "INSQ(T=2.0,max_rel=1)": "INSQ(T=2)",
    "INST(T=1.0,max_rel=3)": "INST(max_grade=3)",
    "NERR8(max_rel=1)@10": "NERR8@10",
    "NERR9(max_rel=4)@10": "NERR9(max_grade=4)@10",
    "NERR10(p=0.8,max_rel=1)": "NERR10(p=0.8)",
    "NERR11(T=2.0,max_rel=1)": "NERR11(T=2)",
    "SDCG(dcg='log2',max_rel=2)@10": "SDCG(max_grade=2)@10",
    "Success@10": "Success@10",
    "RR@10": "RR@10",
    "RR(rel=2)": "RR(rel=2)",
    "Judged@10": "Judged@10",
    "SetP": "SetP",
    "SetP(rel=2)": "SetP(rel=2)",
    "SetP(relative=True)": "SetRelP",
    "SetRelP": "SetRelP",
    "SetR": "SetR",
    "SetAP": "SetAP",
    "SetF(beta=0.5)": "SetF(x=0.5)",
    "IPrec@0.1": "IPrec@0.1",
    "IPrec(rel=2)@0.1": "IPrec(rel=2)@0.1",
    "Rprec": "Rprec",
    "RPrec(rel=2)": "Rprec(rel=2)",
    "Bpref": "Bpref",
    "BPref": "Bpref",
    "infAP": "infAP",
    "xinfAP(rel=2)@1000": "xinfAP(rel=2)@1000",
    "infNDCG(gain=exp2)@100": "infNDCG(gain=exp2)@100",
    "RBP(p=0.95,rel=2)": "RBP(p=0.95,rel=2)",
    "ERR@20": "ERR@20",
    "NumQ": "NumQ",
    "NumRet": "NumRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)",
    "NumRelRet": "NumRelRet",
    "MAP@100": "AP@100",
    "MRR": "RR",
}

RANX = {
    "ndcg@10": "nDCG@10",
    "ndcg@10-l2": "nDCG(rel=2)@10",
    "ndcg": "nDCG",
    "ndcg-l2": "nDCG(rel=2)",
    "ndcg_burges@10": "nDCG(gain=exp2)@10",
    "dcg_burges@10": "DCG(gain=exp2)@10",
    "dcg@10": "DCG@10",
    "hit_rate@10": "Success@10",
    "hits@10": "NumRelRet@10",
    "precision@5": "P@5",
    "precision": "SetP",
    "recall@10-l2": "R(rel=2)@10",
    "f1@10": "F1@10",
    "mrr@10": "RR@10",
    "map@100": "AP@100",
    "map-l2": "AP(rel=2)",
    "r-precision": "Rprec",
    "r-precision-l2": "Rprec(rel=2)",
    "bpref": "Bpref",
    "rbp.95": "RBP(p=0.95)",
    "rbp.8": "RBP",
}


MTEB = {
    "ndcg_at_10": "nDCG@10",
    "map_at_100": "AP@100",
    "recall_at_100": "R@100",
    "mrr_at_10": "RR@10",
    "precision_at_5": "P@5",
    "hit_rate_at_10": "Success@10",
    "R_cap_at_10": "RelP@10",
}

BEIR = {
    "NDCG@10": "nDCG@10",
    "MAP@100": "AP@100",
    "Recall@100": "R@100",
    "P@5": "P@5",
    "MRR@10": "RR@10",
    "Accuracy@10": "Success@10",
    "Hole@10": "Hole@10",
    "R_cap@10": "RelP@10",
}

RECOMMENDERS = {
    "HR@10": "Success@10",
    "HitRate@10": "Success@10",
    "Hit@10": "Success@10",
    "NDCG@10": "nDCG@10",
    "MRR@10": "RR@10",
}

TOOLS = (OURS, TREC_EVAL, IR_MEASURES, RANX, MTEB, BEIR, RECOMMENDERS)


@pytest.mark.parametrize(("text", "canonical"), [pair for names in TOOLS for pair in names.items()])
def test_a_name_has_the_meaning_of_its_tool(text, canonical):
    """Each text is parsed as one measure."""
    assert str(parse_measure(text)) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10, P@5", "nDCG@10 P@5"),
        ("nDCG@10,P@5", "nDCG@10 P@5"),
        ("nDCG@10 P@5\tRR\n", "nDCG@10 P@5 RR"),
        ("ndcg_cut.5,10", "nDCG@5 nDCG@10"),
        ("ndcg_cut.5,10,map", "nDCG@5 nDCG@10 AP"),
        ("P@5,10,11pt_avg", "P@5 P@10 AP11"),
        ("P(rel=2)@5,10", "P(rel=2)@5 P(rel=2)@10"),
        ("map, map AP", "AP"),
        ("success", "Success@1 Success@5 Success@10"),
        ("unj", "Unjudged@5 Unjudged@10 Unjudged@20"),
        ("P", "P@5 P@10 P@15 P@20 P@30 P@100 P@200 P@500 P@1000"),
        ("iprec_at_recall.0.1,0.2", "IPrec@0.1 IPrec@0.2"),
        ("ndcg.1=3,2=9 map", "nDCG(gain={1:3,2:9}) AP"),
        ("nDCG(gain={1:3,2:9})@10 map", "nDCG(gain={1:3,2:9})@10 AP"),
    ],
)
def test_several_measures_keep_their_order(text, canonical):
    """Spaces and commas separate them; numbers after a comma belong to the name before."""
    assert " ".join(map(str, parse_measures(text))) == canonical


@pytest.mark.parametrize(
    ("name", "n_cutoffs"),
    [
        ("P", 9), ("map_cut", 9), ("ndcg_cut", 9), ("relative_P", 9),
        ("success", 3), ("iprec_at_recall", 11), ("Rprec_mult", 10), ("unj", 3),
    ],
)  # fmt: skip
def test_names_with_cutoffs_have_the_defaults_of_trec_eval(name, n_cutoffs):
    """Alone, such a name stands for several measures, not one."""
    assert len(parse_measures(name)) == n_cutoffs
    with pytest.raises(MeasureSyntaxError, match=f"expected one measure, got {n_cutoffs} of them"):
        parse_measure(name)


@pytest.mark.parametrize(("nickname", "n_measures"), [("official", 29), ("set", 10)])
def test_nicknames_expand_to_trec_evals_output(nickname, n_measures):
    """They keep its order, without the name of the run."""
    measures = parse_measures(nickname)
    assert len(measures) == n_measures
    assert str(measures[0]) == "NumQ"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", "unknown measure 'ndgc@10': did you mean 'nDCG@10'?"),
        ("ndgc(gain=exp2)@10", "did you mean 'nDCG(gain=exp2)@10'?"),
        ("ndgc_cut_10", "did you mean 'nDCG@10'?"),
        ("mrr_10", "did you mean 'RR@10'?"),
        ("nDCG10", "unknown measure 'nDCG10': did you mean 'nDCG@10'?"),
        ("ndgc5", "did you mean 'nDCG@5'?"),
        ("r_precision_10", "did you mean 'Rprec'?"),
        ("Bperf", "did you mean 'Bpref'?"),
        ("alfa_ndcg@5", "did you mean 'alpha_nDCG@5'?"),
        ("alpha_nDGC(alpha=0.3)@5", "did you mean 'alpha_nDCG(alpha=0.3)@5'?"),
        ("NERR7@10", "did you mean 'NERR9@10'?"),
        ("NERR7", "did you mean 'NERR9'?"),
        ("NERR12", "did you mean 'NERR11'?"),
        ("ERR_IA10", "did you mean 'ERR_IA@10'?"),
        ("velocity@3", "unknown measure 'velocity@3': known measures are "),
        ("hit_ratio@10", "did you mean 'Success@10'?"),
        ("HitRatio@10", "did you mean 'Success@10'?"),
        ("top_k_accuracy@5", "did you mean 'Success@5'?"),
        ("mean_average_precision", "did you mean 'AP'?"),
        ("cosine_map@100", "did you mean 'AP@100'?"),
        ("cosine_ndcg@10", "did you mean 'nDCG@10'?"),
        ("MeanReciprocalRank@10", "did you mean 'RR@10'?"),
        ("f1_score@5", "did you mean 'F1@5'?"),
        ("precison@5", "did you mean 'P@5'?"),
    ],
)
def test_an_unknown_measure_suggests_what_is_meant_or_else_the_nearest(text, message):
    """Text after the name is kept."""
    with pytest.raises(UnknownMeasureError) as caught:
        parse_measure(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "measure '': expected a measure, got nothing; write for example 'nDCG@10'"),
        (" , ", "expected a measure, got nothing"),
        ("nDCG@0", "expected for k an integer, at least 1, got 0"),
        ("nDCG@-5", "expected for k an integer, at least 1, got -5"),
        ("nDCG@ten", "expected a number, got 'ten'; write for example"),
        ("nDCG@", "expected a number, got ''"),
        ("nDCG@1.5", "expected for k an integer, at least 1, got float 1.5"),
        ("nDCG@10@5", "expected name(parameter=value)@cutoff, got 'nDCG@10@5'"),
        ("nDCG(gain=exp2", "expected a closing ')', got the end"),
        ("nDCG)@10", "expected an opening bracket, got ')' alone"),
        ("nDCG('x)@10", 'expected a closing "\'", got the end'),
        ("nDCG(exp2)@10", "expected parameter=value, got 'exp2'"),
        ("nDCG(gain=)@10", "expected a value, got ''"),
        ("nDCG(gain=$)@10", "expected a value, got '$'"),
        ("nDCG(gain={1})@10", "expected grade:gain, got '{1}'"),
        ("nDCG(gain={1:[2]})@10", "expected a value, got '[2]'"),
        ("nDCG(gain=cubic)@10", "expected for gain 'linear', 'exp2' or a gain for each grade"),
        ("nDCG(gain=exp2,gain=exp2)@10", "expected one value for gain, got two"),
        (
            "nDCG(beta=1)@10",
            "expected a parameter of nDCG (k, gain, rel, judged_only), got 'beta'; "
            "write for example 'nDCG(gain=linear,rel=0)@10'",
        ),
        ("nDCG(dcg='cubic')@10", "expected dcg='log2' or dcg='exp-log2', got 'cubic'"),
        ("P(judged_only=1)@5", "expected for judged_only True or False, got int 1"),
        ("INST(T=0)", "expected for T a number, above 0 and at most 1000, got 0"),
        (
            "INST(min_rel=2,max_rel=2)",
            "expected for max_grade a number above min_grade, which is 2, got 2",
        ),
        ("Compat(normalise=maybe)", "expected for normalise True or False, got str 'maybe'"),
        ("SDCG(dcg='exp-log2')@5", "expected a parameter of SDCG"),
        ("P(rel=high)@5", "expected for rel a number, got str 'high'"),
        ("P(rel=1e999)@5", "expected for rel a finite number"),
        ("Judged(rel=2)@5", "expected a parameter of Judged (k, judged_only), got 'rel'"),
        ("RBP(p=2)", "expected for p a number between 0 and 1, got 2"),
        ("Rprec@5", "expected no cutoff, since Rprec covers the whole ranking, got @5"),
        ("SetP@5", "expected no cutoff, since SetP covers the whole ranking, got @5"),
        ("set_P_5", "expected nothing after 'set_P', got '5'"),
        ("map_5", "expected nothing after 'map', got '5'"),
        ("ndcg_cut.0", "expected for k an integer, at least 1, got 0"),
        ("ndcg_cut.5,x", "unknown measure 'x'"),
        ("ndcg.1=x", "expected a number, got 'x'"),
        ("set_F.1,2", "expected one number, got '1,2'"),
        ("utility.1,2", "four numbers"),
        ("rbp.p=x", "expected a number, got 'x'"),
        ("iprec_at_recall.2", "expected for recall a number from 0 to 1, got 2"),
        ("runid", "expected a measure with one number per query, got runid, which is text"),
        ("relstring_5", "got relstring, which is text"),
        ("@10", "expected name(parameter=value)@cutoff"),
    ],
)
def test_an_invalid_measure_reports_what_was_expected(text, message):
    """The message has the position, what was expected and found, and an example."""
    with pytest.raises((MeasureSyntaxError, UnknownMeasureError)) as caught:
        parse_measures(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("recall", ["recall.5,10,15,20,30,100,200,500,1000", "SetR"]),
        ("rbp@95", ["RBP@95", "RBP(p=0.95)"]),
        ("accuracy(rel=2)@5", ["Success@5", "PairwiseAccuracy@5"]),
    ],
)
def test_a_name_with_two_meanings_is_refused(text, spellings):
    """The message shows what to write instead, which can be parsed."""
    with pytest.raises(MeasureSyntaxError, match="got a name with two meanings") as caught:
        parse_measures(text)
    assert caught.value.text == text
    for spelling in (*spellings, caught.value.example):
        assert f"'{spelling}'" in str(caught.value)
        assert parse_measures(spelling)


def test_unambiguous_spellings_of_such_names_are_read():
    """With a cutoff, brackets or a point, they have one meaning."""
    names = "recall@10 Recall@10 recall_10 RBP@95 rbp(p=0.5)@95 rbp.95 Accuracy@5 Unjudged@5"
    assert len(parse_measures(names)) == 6
    assert len(parse_measures("all_trec")) > 80


def test_names_of_trec_eval_have_their_own_meaning_where_asked():
    """parse_trec_eval reads recall as trec_eval does."""
    assert [one.k for one in parse_trec_eval("recall")] == [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    assert parse_trec_eval("ndcg_cut", "5,10") == (NDCG(5), NDCG(10))


def test_the_examples_in_messages_are_valid():
    """They can be parsed."""
    for text in ("nDCG(beta=1)@10", "P@0", "F(x=1)", "IPrec(x=1)@0.5", "Utility(x=1)", "ERR(p=1)"):
        with pytest.raises(MeasureSyntaxError) as caught:
            parse_measure(text)
        assert parse_measure(caught.value.example)


def test_only_text_is_parsed():
    """A measure is not text, and neither is a list."""
    with pytest.raises(InputTypeError, match="text: expected a measure such as 'nDCG@10', got int"):
        parse_measure(10)


@given(text=st.text() | st.text("nNdcgPF@(){}[]=,:.-_'\"0123456789l ", max_size=30))
@examples(500)
def test_any_text_has_a_value_or_a_clear_error(text):
    """No other exception is raised."""
    try:
        assert parse_measures(text)
    except BerryEvalError as error:
        assert str(error)  # noqa: PT017 - either outcome is right


def test_deep_brackets_are_safe():
    """Malicious text does not crash the parser."""
    with pytest.raises(MeasureSyntaxError):
        parse_measure("nDCG(gain=" + "[" * 50_000 + "]" * 50_000 + ")")


def test_a_misplaced_cutoff_is_reported_with_its_place():
    """trec_eval's ndcg takes gains there."""
    with pytest.raises(MeasureSyntaxError, match="got '10'; write for example 'nDCG@10'"):
        parse_measure("nDCG_10")
