"""ir_measures computed by BerryEval, compared with its own providers."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.compat import ir_measures as compat
from compat.rankings import judged_runs
from depth import examples

irm = pytest.importorskip("ir_measures")

MEASURES = [
    "P@1", "P@5", "P(rel=2)@5", "RR", "RR(rel=2)", "Rprec", "Rprec(rel=2)", "AP", "AP@3",
    "AP(rel=2)", "nDCG", "nDCG@4", "R@5", "R(rel=2)@4", "Bpref", "Bpref(rel=2)", "NumRet",
    "NumRet(rel=2)", "NumRelRet", "NumQ", "NumRel", "SetAP", "SetF", "SetF(beta=0.5)",
    "SetF(beta=2.,rel=2)", "SetP", "SetP(relative=True)", "SetRelP", "SetR", "SetR(rel=2)",
    "Success@1", "Success@5", "IPrec@0.1", "IPrec@0.5", "IPrec(rel=2)@0.3", "infAP",
    "infAP(rel=2)",
]  # fmt: skip
JUDGED_ONLY = [
    "P(judged_only=True)@3", "RR(judged_only=True)", "AP(judged_only=True)@5",
    "nDCG(judged_only=True)@4", "SetP(judged_only=True)", "Success(judged_only=True)@2",
]  # fmt: skip
WITH_GAINS = ["nDCG(gains={0:1,1:5,2:3})@5"]
WITHOUT_TIES = ["RR@3", "RR(rel=2)@5", "Judged@3", "Judged"]
"""Measures in which ir_measures breaks ties differently."""


@pytest.fixture
def registered():
    """Let ir_measures compute with BerryEval during a test."""
    compat.register()
    yield irm
    compat.unregister()


def values_of(measures, qrels, run):
    return {(one.query_id, one.measure): one.value for one in irm.iter_calc(measures, qrels, run)}


@examples(300)
@given(case=judged_runs(), names=st.sampled_from([MEASURES, JUDGED_ONLY, WITH_GAINS]))
def test_values_equal_those_of_its_own_providers(case, names):
    """All bits are the same for each query, and means are equal."""
    check_equal(*case, names)


@examples(100)
@given(case=judged_runs(has_ties=False))
def test_without_ties_all_providers_agree(case):
    """These are the measures of the other providers."""
    check_equal(*case, WITHOUT_TIES)


def check_equal(qrels, run, names):
    """Score a run with ir_measures' own providers, and with BerryEval."""
    measures = [irm.parse_measure(name) for name in names]
    compat.unregister()
    expected, means = values_of(measures, qrels, run), irm.calc_aggregate(measures, qrels, run)
    compat.register()
    try:
        assert all(compat.provider().supports(measure) for measure in measures)
        found = values_of(measures, qrels, run)
        own_means = irm.calc_aggregate(measures, qrels, run)
    finally:
        compat.unregister()
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if not math.isnan(value):  # IPrec, if no retrieved document is judged
            assert found[key] == value, key
    for measure, mean in means.items():
        assert math.isnan(mean) or own_means[measure] == pytest.approx(mean, abs=1e-12), measure


def test_one_line_is_enough(registered):
    """BerryEval is asked first, whichever function is called, and frames work, too."""
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    run = [irm.ScoredDoc("q1", "d1", 0.5), irm.ScoredDoc("q1", "d2", 0.9)]
    measures = [registered.nDCG @ 10, registered.RR]
    evaluator = registered.evaluator(measures, qrels)
    assert "BerryEval" in type(evaluator).__name__
    first, second = evaluator.calc_aggregate(run), registered.calc_aggregate(measures, qrels, run)
    assert first == second
    assert first[registered.RR] == 0.25
    assert irm.providers.registry["berryeval"] is compat.provider()


def test_registering_again_changes_nothing(registered):
    """There is one provider, and it can be removed."""
    compat.register()
    assert registered.DefaultPipeline.providers.count(compat.provider()) == 1
    compat.unregister()
    compat.unregister()
    assert compat.provider() not in registered.DefaultPipeline.providers
    assert "berryeval" not in irm.providers.registry


def test_all_measures_of_a_call_have_the_same_order_of_ties(registered):
    """In ir_measures, RR is 1/3 here and RR@10 is 1."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    found = registered.calc_aggregate([registered.RR, registered.RR @ 10], qrels, run)
    assert list(found.values()) == [pytest.approx(1 / 3)] * 2


def test_measures_do_not_share_their_parameters(registered):
    """In ir_measures, nDCG may have the gains of the first one, and NumRet count judged ones."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.0}}
    tool = registered
    measures = [tool.nDCG(gains={0: 1}), tool.nDCG, tool.P(judged_only=True) @ 1, tool.NumRet]
    found = registered.calc_aggregate(measures, qrels, run)
    values = [found[measure] for measure in measures]
    assert values == [1.0, pytest.approx(1 / math.log2(3)), 0.0, 3.0]


def test_what_ir_measures_cannot_compute_is_computed(registered):
    """Examples are ERR with text as query ids, RBP at a cutoff, and NumRel by level."""
    qrels, run = {"query": {"a": 5, "b": 0}}, {"query": {"b": 2.0, "a": 1.0}}
    measures = [
        irm.parse_measure(name)
        for name in (
            "ERR@10",
            "nDCG(dcg='exp-log2')@5",
            "RBP(rel=1)@2",
            "NumRel(rel=2)",
            "P(rel=0)@1",
        )
    ]
    found = registered.calc_aggregate(measures, qrels, run)
    values = [found[measure] for measure in measures]
    assert values == pytest.approx([0.5 * 15 / 16, 1 / math.log2(3), 0.8 * 0.2, 1.0, 1.0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BPM(T=2.0,min_rel=1,max_rel=3)@5", "BPM(T=2,min_grade=1,max_grade=3)@5"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalise=False)"),
        ("INST(T=2.0,max_rel=1)", "INST(T=2)"),
        ("NERR9(max_rel=4)@5", "NERR9(max_grade=4)@5"),
        ("NERR10(p=0.5,max_rel=1)", "NERR10(p=0.5)"),
        ("P(judged_only=True)@5", "P(judged_only=True)@5"),
        ("SDCG(dcg='log2',max_rel=2)@5", "SDCG(max_grade=2)@5"),
    ],
)
def test_user_models_and_compatibility_are_computed(name, expected):
    """tests/compat/test_cwl_values.py compares the values."""
    assert str(compat.as_measure(irm.parse_measure(name))) == expected
    assert compat.provider().supports(irm.parse_measure(name))


def test_compatibility_needs_no_other_provider(registered):
    """Of two relevant documents, one is at rank 2 of 2."""
    qrels, run = {"q": {"a": 1, "b": 1, "c": 0}}, {"q": {"c": 2.0, "a": 1.0}}
    measure = registered.Compat(p=0.5)
    theirs = [*registered.compat.iter_calc([measure], qrels, run)]
    assert registered.calc_aggregate([measure], qrels, run)[measure] == theirs[0].value


@pytest.mark.parametrize("name", ["Accuracy", "ERR_IA@1", "RBP", "alpha_DCG@1"])
def test_other_measures_are_left_to_ir_measures(name):
    """BerryEval does not claim to have them."""
    assert compat.as_measure(irm.parse_measure(name)) is None
    assert not compat.provider().supports(irm.parse_measure(name))


def test_a_level_below_0_is_left_to_ir_measures():
    """So are all parameters that BerryEval rejects."""
    assert compat.as_measure(irm.P(rel=-1) @ 5) is None
    assert compat.as_measure(irm.nDCG(gains={-1: 1})) is None


@pytest.mark.usefixtures("registered")
def test_diversity_measures_equal_those_of_ndeval():
    """The subtopic is the iteration of a row. ndeval's values are stored."""
    stored = json.loads(Path(__file__).with_name("ndeval_values.json").read_text())
    qrels = [
        irm.Qrel(query, document, grade, subtopic)
        for query, documents in stored["qrels"].items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    provided = [
        measure
        for measure in map(irm.parse_measure, stored["values"])
        if compat.provider().supports(measure)
    ]
    assert len(provided) == len(stored["values"]) - 4  # ndeval does not normalise depth 1
    found = values_of(provided, iter(qrels), stored["run"])
    assert len(found) == len(provided) * len(stored["run"])
    for (query, measure), value in found.items():
        expected = stored["values"][str(measure)][query]
        assert value == pytest.approx(min(expected or 0.0, 1.0), abs=1e-12), (query, measure)


def test_diversity_measures_of_other_forms_of_qrels(registered):
    """A dict has one subtopic; judged_only works; other measures of the call are the same."""
    run = {"q": {"a": 1.0, "b": 2.0, "c": 3.0}}
    measures = [irm.parse_measure(name) for name in ("P_IA@2", "P_IA(judged_only=True)@2", "AP")]
    qrels = {"q": {"a": 1, "b": 1}}
    found = registered.calc_aggregate(measures, qrels, run)
    assert [found[measure] for measure in measures] == [0.5, 1.0, (1 / 2 + 2 / 3) / 2]
    import pandas as pd

    frame = pd.DataFrame(
        {"query_id": "q", "doc_id": ["a", "b"], "relevance": 1, "iteration": ["1", "2"]}
    )
    found = registered.calc_aggregate(measures, frame, run)
    assert [found[measure] for measure in measures] == [0.25, 0.5, (1 / 2 + 2 / 3) / 2]
