"""xinfAP and infNDCG: by hand, in both engines, and compared with NIST's sample_eval.pl."""

import json
import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.backend import backend
from berryeval.core.intents import IntentGrade
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.strata import SampledGrade, Stratum
from berryeval.engine import _native, _python
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation.holes import find_holes
from berryeval.kernels.relevance import UNJUDGED, usable_grade
from berryeval.measures import all_measures
from cases import cutoffs, parameters_of
from depth import examples

BY_STRATUM = [measure for measure in all_measures() if measure.uses_strata]
STORED = json.loads((Path(__file__).parents[1] / "compat" / "sample_eval_values.json").read_text())
LOG3, LOG5 = math.log2(3), math.log2(5)
E, E3 = 1e-5, 3e-5

# The stratum top was judged; of four others, two were. So each judged other stands for two.
GRADES = {"a": 2, "b": 0, "c": 1, "d": 0, "e": -1, "f": -1}
STRATA = {"a": "top", "b": "top", "c": "rest", "d": "rest", "e": "rest", "f": "rest"}
RUN = {"q": ["b", "e", "c", "outside", "a", "d"]}


def sampled(grades=GRADES, strata=STRATA) -> Judgments:
    return Judgments.from_dict({"q": grades}).with_strata({"q": strata})


# Three relevant documents are estimated: a, and two for c.
AT_C = (1 + 1 * E / (1 + E3) + 1 * E / E3) / 3
AT_A = (1 + 1 * E / (1 + E3) + 2 * (1 + E) / (1 + E3)) / 5


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("xinfAP", (2 * AT_C + AT_A) / 3),
        ("xinfAP@3", 2 * AT_C / 3),
        ("xinfAP@2", 0.0),
        ("xinfAP(rel=2)", (1 + 1 * E / (1 + E3) + 2 * E / (1 + E3)) / 5),
        ("xinfAP(rel=3)", 0.0),
        # Of the rest three were retrieved, and two of them judged. The ideal is 2, 1, 1.
        ("infNDCG", (2 / math.log2(6) + (3 / 2) / 2) / (2 + 1 / LOG3 + 1 / 2)),
        ("infNDCG@3", 2 * (1 / 2) / (2 + 1 / LOG3 + 1 / 2)),
        ("infNDCG@2", 0.0),
        ("infNDCG(gain=exp2)@3", 2 * (1 / 2) / (3 + 1 / LOG3 + 1 / 2)),
        ("infNDCG(gain={1:5})", (2 / math.log2(6) + (3 / 2) * 5 / 2) / (5 + 5 / LOG3 + 2 / 2)),
        # Without unjudged documents the ranking is b, c, a, d.
        ("infNDCG(judged_only=true)", (2 / 2 + 1 / LOG3) / (2 + 1 / LOG3 + 1 / 2)),
        ("xinfAP(judged_only=true)@2", 2 * (1 + E / (1 + E3)) / 2 / 3),
    ],
)
def test_values_by_hand(measure, expected):
    """A reader can redo the arithmetic."""
    assert be.evaluate(sampled(), RUN, measure)[measure].mean == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("engine", [_python, _native])
@pytest.mark.parametrize("name", ["xinfAP", "infNDCG"])
def test_values_are_those_of_sample_eval(engine, name):
    """NIST's script looks at the first 1,000 documents."""
    if engine is _native and backend().name != "native":
        pytest.skip("no extension")
    grades = {
        q: {d: grade for d, (_, grade) in pool.items()} for q, pool in STORED["pools"].items()
    }
    strata = {q: {d: name for d, (name, _) in pool.items()} for q, pool in STORED["pools"].items()}
    judgments = Judgments.from_dict(grades).with_strata(strata)
    measure = be.xinfAP @ 1000 if name == "xinfAP" else be.infNDCG @ 1000
    found = engine.score(judgments, Run.from_dict(STORED["run"]), [measure])
    values = dict(zip(map(bytes.decode, found.query_ids), found.values[0], strict=True))
    expected = {query: STORED["values"][name][query] for query in values}
    assert values == pytest.approx(expected, abs=1e-14)
    assert sum(value > 0 for value in values.values()) > len(values) / 2


documents = st.sampled_from([f"d{i}" for i in range(12)])
pools = st.dictionaries(documents, st.integers(-2, 3) | st.just(-1), min_size=1, max_size=12)
names = st.sampled_from(["1", "2", "ten", "é"])


@st.composite
def sampled_sets(draw):
    """Draw judgments of up to three queries, with strata for some documents, and a run."""
    grades = draw(st.dictionaries(st.sampled_from("pqr"), pools, min_size=1))
    strata = {
        query: {doc: draw(names) for doc in pool if draw(st.integers(0, 4))}
        for query, pool in grades.items()
        if draw(st.integers(0, 3))
    }
    ids = st.lists(st.sampled_from([*(f"d{i}" for i in range(12)), "x", "y"]), unique=True)
    run = {query: draw(ids) for query in ("p", "q")}
    return Judgments.from_dict(grades).with_strata(strata), Run.from_lists(run)


@pytest.mark.skipif(backend().name != "native", reason="no extension")
@pytest.mark.parametrize("measure", BY_STRATUM, ids=lambda m: m.name)
@examples(150)
@given(data=st.data(), case=sampled_sets())
def test_both_engines_give_identical_bits(measure, data, case):
    """This holds for any strata, grades and parameters, and for queries without strata."""
    measures = data.draw(
        st.lists(parameters_of(measure, k=st.none() | cutoffs(15)), min_size=1, max_size=3)
    )
    judgments, run = case
    native, python = (engine.score(judgments, run, measures) for engine in (_native, _python))
    assert [*map(bytes, native.values)] == [*map(bytes, python.values)]


@examples(60)
@given(case=sampled_sets(), k=st.none() | cutoffs(15))
def test_complete_judgments_give_ap_and_ndcg(case, k):
    """If every document of the pool is judged, only smoothing makes a difference."""
    judgments, run = case
    grades = {q: {d: max(g, 0) for d, g in own.items()} for q, own in judgments.to_dict().items()}
    strata = {
        q.decode(): {d.decode(): s.decode() for d, s in own.items()}
        for q, own in judgments.strata.items()
    }
    complete = Judgments.from_dict(grades).with_strata(strata)
    measures = [be.xinfAP(k), be.infNDCG(k), be.AP(k), be.nDCG(k)]
    for values in zip(*_python.score(complete, run, measures).values, strict=True):
        assert values[0] == pytest.approx(values[2], abs=2e-4)
        assert values[1] == pytest.approx(values[3], abs=1e-12)


@examples(60)
@given(pool=pools, ranking=st.lists(documents, unique=True))
def test_one_stratum_gives_infap_but_for_smoothing(pool, ranking):
    """Cases have a judged document above every relevant one that is not the first of the pool."""
    ranking = [doc for doc in ranking if pool.get(doc, 0) >= 0]
    run = Run.from_lists({"q": ranking})
    found = _python.score(Judgments.from_dict({"q": pool}), run, [be.xinfAP(), be.infAP()])
    assert found.values[0][0] == pytest.approx(found.values[1][0], abs=1e-4)


def test_strata_of_subtopics_are_seen_by_both_kinds_of_measures():
    """A document may have both."""
    nested = {"q": {"a": {"x": 1, "y": 0}, "b": {"y": 2}, "c": {"x": -1}}}
    strata = {"q": {"a": "1", "b": "2", "c": "2"}}
    judgments = Judgments.from_dict(nested).with_strata(strata)
    run = {"q": ["c", "b", "a"]}
    result = be.evaluate(judgments, run, ["xinfAP", "StRecall@2", "infNDCG"])
    assert result["StRecall@2"].mean == 0.5
    above_b = 1 * E / E3
    above_a = 2 * (1 + E) / (1 + E3)
    assert result["xinfAP"].mean == pytest.approx(
        (2 * (1 + above_b) / 2 + (1 + above_a) / 3) / 3, abs=1e-12
    )
    plain = be.evaluate(Judgments.from_dict({"q": {"a": 1, "b": 2, "c": -1}}).with_strata(strata),
                        run, ["xinfAP", "infNDCG"])  # fmt: skip
    assert plain["infNDCG"].mean == result["infNDCG"].mean


def test_a_grade_keeps_its_stratum():
    """This includes grades by intent, and documents that were not judged."""
    stratum = Stratum(b"1", 4, 2)
    grade = SampledGrade(1.0, stratum)
    assert IntentGrade(grade, b"d").stratum is stratum
    unjudged = usable_grade({b"d": SampledGrade(-1.0, stratum)}, b"d")
    assert (unjudged, unjudged.stratum) == (UNJUDGED, stratum)
    assert Stratum(b"1", 3, 0).weight == 0.0
    copy = pickle.loads(pickle.dumps(grade))  # noqa: S301 - our own bytes
    assert (copy, copy.stratum) == (grade, stratum)


@pytest.mark.parametrize(
    ("strata", "error", "message"),
    [
        ({"x": {}}, ArgumentError, r"strata: expected a judged query, got 'x'"),
        ({"q": {"z": "1"}}, ArgumentError, r"expected a document in the pool of the query, got"),
        ({"q": 5}, InputTypeError, r"strata\['q'\]: expected a mapping, got int"),
        ({"q": {"a": 1.5}}, InputTypeError, r"strata\['q'\]\['a'\]"),
    ],
)
def test_invalid_strata_are_rejected(strata, error, message):
    """The message names the argument."""
    with pytest.raises(error, match=message):
        Judgments.from_dict({"q": GRADES}).with_strata(strata)


def test_explain_shares_add_up():
    """Unjudged documents of the pool contribute, too."""
    after = {"q": ["e", "a", "c", "d", "outside"]}
    for measure in ("xinfAP", "infNDCG@4"):
        found = be.explain(sampled(), RUN, after, "q", measure)
        shares = math.fsum(move.contribution for move in found.moves)
        assert found.difference != 0
        assert shares == pytest.approx(found.difference, abs=1e-12)


def test_holes_rejects_estimates():
    """Estimates already account for unjudged documents."""
    with pytest.raises(ArgumentError, match="which makes up for unjudged documents already"):
        find_holes(sampled(), {"run": Run.from_lists(RUN)}, [be.xinfAP()])
