"""Intent-aware measures: by hand, in both engines, and compared with ndeval."""

import json
import math
import pickle
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.backend import backend
from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.intents import IntentGrade, Part
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import _native, _python
from berryeval.errors import ArgumentError, InputError, InputTypeError, MeasureSyntaxError
from berryeval.kernels.intents import Intents
from berryeval.measures import all_measures, parse_measure
from cases import cutoffs, parameters_of
from depth import examples

BY_INTENT = [measure for measure in all_measures() if measure.uses_intents]
NDEVAL = json.loads((Path(__file__).parents[1] / "compat" / "ndeval_values.json").read_text())
LOG3 = math.log2(3)

# Three intents; the third is served by no document, and does not count.
JUDGMENTS = {
    "q": {
        "both": {"animal": 1, "car": 2, "team": 0},
        "animal1": {"animal": 1},
        "animal2": {"animal": 3},
        "nothing": {"animal": 0, "team": 0},
    }
}
RUN = {"q": ["animal1", "nothing", "animal2", "unjudged", "both"]}


def score(measure: str, judgments=JUDGMENTS, run=RUN) -> float:
    return be.evaluate(judgments, run, measure)[measure].mean


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Gains are 1, 0, 1/2, 0, 1/4 + 1, of two intents.
        ("alpha_DCG@1", 1 / 2),
        ("alpha_DCG@2", 1 / (2 * (1 + 0.5 / LOG3))),
        ("alpha_DCG@3", (1 + 0.5 / 2) / (2 * (1 + 0.5 / LOG3 + 0.25 / 2))),
        ("ERR_IA@1", 1 / 2),
        ("ERR_IA@3", (1 + 0.5 / 3) / (2 * (1 + 0.5 / 2 + 0.25 / 3))),
        ("ERR_IA(alpha=1)@3", 1 / 2),
        ("NRBP", 0.75 / 2 * (1 + 0.5 * 0.5**2 + 1.25 * 0.5**4)),
        ("NRBP@3", 0.75 / 2 * (1 + 0.5 * 0.5**2)),
        # The ideal ranking has both, then animal2 before animal1.
        ("alpha_nDCG@1", 1 / 2),
        ("alpha_nDCG", (1 + 0.25 + 1.25 / math.log2(6)) / (2 + 0.5 / LOG3 + 0.25 / 2)),
        ("nERR_IA@3", (1 + 0.5 / 3) / (2 + 0.5 / 2 + 0.25 / 3)),
        ("nNRBP", (1 + 0.5 * 0.5**2 + 1.25 * 0.5**4) / (2 + 0.5 * 0.5 + 0.25 * 0.25)),
        # At ranks 1, 3 and 5 for the animal, at 5 for the car.
        ("AP_IA", ((1 + 2 / 3 + 3 / 5) / 3 + 1 / 5) / 2),
        ("AP_IA@3", ((1 + 2 / 3) / 3) / 2),
        ("P_IA@5", (3 / 5 + 1 / 5) / 2),
        # On a scale up to 1, ERR_IA times the highest possible ERR; higher grades count as 1.
        ("gERR_IA(max_grade=1)@1", 1 / 4),
        ("gERR_IA(max_grade=1)@3", (1 / 2 + 1 / 4 / 3) / 2),
        # Of 3: 1/8, then 7/8, then 1/8 for the animal; 3/8 for the car.
        (
            "gERR_IA(max_grade=3)",
            (1 / 8 + 7 / 8 * 7 / 8 / 3 + 7 / 8 * 1 / 8 * 1 / 8 / 5 + 3 / 8 / 5) / 2,
        ),
        ("gERR_IA(rel=2,max_grade=3)", (7 / 8 / 3 + 3 / 8 / 5) / 2),
        ("gERR_IA(rel=4)", 0.0),
        ("P_IA", (3 / 5 + 1 / 5) / 2),
        ("P_IA@10", (3 / 10 + 1 / 10) / 2),
        ("StRecall@3", 1 / 2),
        ("StRecall", 1.0),
        # At level 2 the animal has one document and the car another.
        ("AP_IA(rel=2)", (1 / 3 + 1 / 5) / 2),
        ("StRecall(rel=3)@2", 0.0),
        ("StRecall(rel=4)", 0.0),
        ("alpha_nDCG(rel=4)@5", 0.0),
        ("NRBP(rel=4)", 0.0),
        ("alpha_DCG(rel=4)@5", 0.0),
    ],
)
def test_values_by_hand(measure, expected):
    """They follow from arithmetic that a reader can redo."""
    assert score(measure) == pytest.approx(expected, abs=1e-15)


def test_without_a_cutoff_the_number_of_documents_decides():
    """alpha_DCG and ERR_IA divide by the gain that as many documents could have."""
    assert score("alpha_DCG") == score("alpha_DCG@5") != score("alpha_DCG@6")
    assert score("ERR_IA") == score("ERR_IA@5") != score("ERR_IA@6")


def weighted(**weights: float) -> Judgments:
    return Judgments.from_dict(JUDGMENTS).with_subtopic_weights({"q": weights})


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("ERR_IA@1", 1 / 4),
        ("alpha_nDCG@1", 1 / 4),
        ("alpha_DCG@3", (1 + 0.5 / 2) / (4 * (1 + 0.5 / LOG3 + 0.25 / 2))),
        ("AP_IA", ((1 + 2 / 3 + 3 / 5) / 3 + 3 * (1 / 5)) / 4),
        ("P_IA@5", (3 / 5 + 3 * (1 / 5)) / 4),
        ("NRBP@1", 0.75 / 4),
        ("StRecall@3", 1 / 2),
    ],
)
def test_intents_count_by_their_weights(measure, expected):
    """A car is three times as likely to be meant. Intents without documents do not count."""
    assert score(measure, weighted(car=3, animal=1, team=100)) == pytest.approx(expected)
    assert score(measure, weighted(car=0.3, animal=0.1)) == pytest.approx(expected)


def test_weights_can_change_the_ideal_ranking():
    """One document for a heavy intent may precede one that serves two light intents."""
    grades = {"q": {"light": {"a": 1, "b": 1}, "heavy": {"c": 1}}}
    run = {"q": ["heavy", "light"]}
    assert score("alpha_nDCG@1", grades, run) == 1 / 2
    heavy = Judgments.from_dict(grades).with_subtopic_weights({"q": {"c": 3}})
    assert score("alpha_nDCG@1", heavy, run) == 1.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"q": {"cat": 1}}, r"weights\['q'\]: expected a subtopic of the query, got 'cat'"),
        ({"p": {"car": 1}}, r"weights: expected a query with subtopics, got 'p'"),
        ({"q": {"car": 0}}, r"weights\['q'\]\['car'\]: expected a finite number above 0"),
        ({"q": {"car": "3"}}, r"weights\['q'\]\['car'\]: expected a finite number above 0"),
        ({"q": 3}, r"weights\['q'\]: expected a mapping"),
    ],
)
def test_invalid_weights_are_rejected(weights, message):
    """The error names the query and the subtopic."""
    with pytest.raises((ArgumentError, InputTypeError), match=message):
        Judgments.from_dict(JUDGMENTS).with_subtopic_weights(weights)


def test_ties_in_the_ideal_ranking_go_to_the_highest_id():
    """Which one of two equal documents comes first decides what the next can gain."""
    served = {"a": {"1": 1, "2": 1}, "b": {"2": 1, "3": 1}, "c": {"1": 1, "4": 1}}
    # c first: then b gains 2, and a 1/2 + 1/2. With a first, b and c would gain 3/2 each.
    intents = Intents([*Judgments.from_dict({"q": served}).grades_of(b"q").values()], 1.0)
    grades = list(Judgments.from_dict({"q": served}).grades_of(b"q").values())
    assert intents.ideal_gains(grades, 0.5, None) == [2.0, 2.0, 1.0]
    renamed = {"z": served["a"], "b": served["b"], "c": served["c"]}
    grades = list(Judgments.from_dict({"q": renamed}).grades_of(b"q").values())
    assert Intents(grades, 1.0).ideal_gains(grades, 0.5, None) == [2.0, 1.5, 1.5]
    assert Intents(grades, 1.0).ideal_gains(grades, 0.5, 2) == [2.0, 1.5]


def test_a_ranking_above_the_greedy_ideal_scores_1():
    """The greedy ranking takes wide first, and leaves little for the next."""
    judgments = {
        "q": {
            "wide": dict.fromkeys("1245", 1),
            "left": dict.fromkeys("123", 1),
            "right": dict.fromkeys("456", 1),
        }
    }
    run = {"q": ["left", "right"]}
    assert 3 + 3 / LOG3 > 4 + 1 / LOG3
    assert score("alpha_nDCG(alpha=1)@2", judgments, run) == 1.0


def test_a_query_without_subtopics_is_its_own_intent():
    """Only judgments without any subtopic are an error."""
    judgments = {**JUDGMENTS, "plain": {"d1": 1, "d2": 2, "d3": 0}}
    run = {"plain": ["d3", "d1", "d2"]}
    result = be.evaluate(judgments, run, ["AP_IA", "AP", "P_IA@2", "P@2", "StRecall", "ERR_IA@1"])
    values = {name: result[name].by_query["plain"] for name in result.to_dict()}
    assert values["AP_IA"] == values["AP"]
    assert values["P_IA@2"] == values["P@2"]
    assert values["StRecall"] == 1.0
    assert values["ERR_IA@1"] == 0.0


def test_a_document_without_a_subtopic_serves_no_intent():
    """Its grade counts in other measures only."""
    judgments = {"q": {"d1": {"a": 1}, "d2": 3}}
    assert score("P_IA@2", judgments, {"q": ["d1", "d2"]}) == 1 / 2
    assert score("P@2", judgments, {"q": ["d1", "d2"]}) == 1.0


@pytest.fixture(scope="module")
def scored():
    """All measures for which ndeval's values are stored."""
    return be.evaluate(NDEVAL["qrels"], NDEVAL["run"], list(NDEVAL["values"]))


@pytest.mark.parametrize("name", sorted(NDEVAL["values"]))
def test_values_equal_those_of_ndeval(scored, name):
    """Exceptions are rank 1, where it does not normalise, and NaN, its 0 divided by 0."""
    found = scored[name].by_query
    n_intents = {
        query: len(
            {one for own in documents.values() for one, grade in own.items() if grade >= level}
        )
        for query, documents in NDEVAL["qrels"].items()
        for level in [parse_measure(name).rel]
    }
    is_divided = name.endswith("@1") and name.startswith(("ERR_IA", "alpha_DCG"))
    assert len(found) == len(NDEVAL["values"][name])
    for query, value in NDEVAL["values"][name].items():
        stored = value or 0.0
        expected = stored / max(n_intents[query], 1) if is_divided else min(stored, 1.0)
        assert found[query] == pytest.approx(expected, abs=1e-12), query


def test_the_stored_values_of_ndeval_are_varied():
    """Agreement with them is meaningful: most are neither 0 nor 1."""
    values = [value or 0.0 for own in NDEVAL["values"].values() for value in own.values()]
    assert len({round(value, 9) for value in values}) > 400


ids = st.sampled_from(["1", "10", "2", "animal", "é"])
grades_by_subtopic = st.dictionaries(ids, st.sampled_from([-1, 0, 1, 1, 2, 0.5]), min_size=1)
doc_ids = st.sampled_from([f"d{i}" for i in range(14)] + ["é", "D"])
judged_documents = st.dictionaries(doc_ids, grades_by_subtopic | st.integers(-1, 2), max_size=14)


@st.composite
def cases(draw):
    """Draw judgments, of which some queries have subtopics and some weights, and a run."""
    judgments = draw(st.dictionaries(st.sampled_from("pqr"), judged_documents, min_size=1))
    judgments["s"] = {"d1": {"1": 1, "2": 0}}
    judged = Judgments.from_dict(judgments)
    if draw(st.booleans()):
        weights = st.sampled_from([0.1, 0.25, 1.0, 3.0]) | st.floats(1e-3, 1e3)
        judged = judged.with_subtopic_weights({
            query.decode(): {
                name.decode(): draw(weights)
                for name in sorted({one for own in documents.values() for one in own})
            }
            for query, documents in judged.subtopics.items()
        })  # fmt: skip
    run = st.dictionaries(doc_ids, st.integers(0, 5).map(float), min_size=1)
    return judged, Run.from_dict(draw(st.dictionaries(st.sampled_from("pqrst"), run, min_size=1)))


@pytest.mark.skipif(backend().name != "native", reason="there is no extension to compare with")
@pytest.mark.parametrize("measure", BY_INTENT, ids=lambda m: m.name)
@examples(30)
@given(data=st.data(), case=cases())
def test_both_engines_give_identical_bits(measure, data, case):
    """Any parameters, subtopics, weights and rankings give the same 64 bits."""
    measures = data.draw(st.lists(parameters_of(measure), min_size=1, max_size=3))
    native, python = (engine.score(*case, measures) for engine in (_native, _python))
    assert [column.tobytes() for column in native.values] == [
        column.tobytes() for column in python.values
    ]
    assert native.query_ids == python.query_ids


@pytest.mark.skipif(backend().name != "native", reason="there is no extension to compare with")
def test_more_intents_than_bits_of_a_word_give_identical_bits():
    """Groups of documents are then not merged."""
    documents = {f"d{i}": {f"{i * j % 90}": 1 for j in range(1, 9)} for i in range(120)}
    judged = Judgments.from_dict({"q": documents})
    run = Run.from_lists({"q": [f"d{i * 7 % 120}" for i in range(120)]})
    measures = [measure() for measure in BY_INTENT]
    native, python = (engine.score(judged, run, measures) for engine in (_native, _python))
    assert [column.tobytes() for column in native.values] == [
        column.tobytes() for column in python.values
    ]


@examples(30)
@given(case=cases(), k=cutoffs(5))
def test_the_greedy_ideal_is_the_plain_one(case, k):
    """Grouping documents by their intents changes nothing: one by one gives the same gains."""
    judged, _ = case
    for query in judged.query_ids.iter_bytes():
        grades = [grade for grade in judged.grades_of(query).values() if grade >= 0]
        intents = Intents(grades, 1.0)
        left = [
            (getattr(grade, "doc_id", b""), intents.served_by(grade))
            for grade in grades
            if intents.served_by(grade)
        ]
        worth, expected = list(intents.weights), []
        while left and len(expected) < k:
            gained = [(math.fsum(worth[place] for place in own), *one) for one in left
                      for own in [one[1]]]  # fmt: skip
            gain, doc_id, own = max(gained)
            left.remove((doc_id, own))
            expected.append(gain)
            for place in own:
                worth[place] *= 0.5
        if not judged.subtopic_weights:  # whose sums depend on the order of addition
            assert intents.ideal_gains(grades, 0.5, k) == expected


@examples(20)
@given(documents=st.lists(st.sets(st.sampled_from("123"), min_size=1), min_size=1, max_size=4))
def test_no_order_gains_more_than_collection_independent_normalisation_allows(documents):
    """alpha_DCG, ERR_IA and NRBP are at most 1 for any order of any documents."""
    grades = [
        IntentGrade(1.0, b"%d" % i, tuple(Part(one.encode(), 1.0, 1.0) for one in sorted(own)))
        for i, own in enumerate(documents)
    ]
    for ranking in permutations(grades):
        for name in ("alpha_DCG", "ERR_IA", "NRBP", "P_IA", "AP_IA"):
            assert 0.0 < parse_measure(name).score(ranking, grades) <= 1.0


def test_an_intent_grade_is_a_number_that_can_be_pickled():
    """Other measures use the highest of its grades."""
    grade = Judgments.from_dict(JUDGMENTS).grades_of(b"q")[b"both"]
    assert grade == 2.0
    copy = pickle.loads(pickle.dumps(grade))  # noqa: S301 - our own bytes
    assert (copy, copy.doc_id, copy.parts) == (grade, grade.doc_id, grade.parts)
    assert [part.intent for part in grade.parts] == [b"animal", b"car", b"team"]


def test_judgments_without_subtopics_are_an_error():
    """The message names the measure, and where to put subtopics."""
    message = (
        "judgments: alpha_nDCG@10 requires subtopics, found none; name them in the column "
        "'subtopic', or in the second column of a TREC file"
    )
    with pytest.raises(InputError) as caught:
        be.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["nDCG@10", "alpha_nDCG@10"])
    assert str(caught.value) == message
    with pytest.raises(InputError, match="requires subtopics"):
        be.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "ERR_IA@5")
    with pytest.raises(InputError, match="requires subtopics"):
        be.explain({"q": {"d": 1}}, {"q": ["d"]}, {"q": ["e"]}, "q", "ERR_IA@5")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("alpha_nDCG@10", "alpha_nDCG@10"),
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("\N{GREEK SMALL LETTER ALPHA}_nDCG@10", "alpha_nDCG@10"),
        ("\N{GREEK SMALL LETTER ALPHA}_DCG(alpha=0.2)@5", "alpha_DCG(alpha=0.2)@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("nERR_IA(rel=2)@10", "nERR_IA(rel=2)@10"),
        ("NRBP(alpha=0.1,beta=0.9,rel=2)", "NRBP(alpha=0.1,beta=0.9,rel=2)"),
        ("nNRBP", "nNRBP"),
        ("MAP_IA", "AP_IA"),
        ("MAP-IA", "AP_IA"),
        ("P_IA(rel=2)@10", "P_IA(rel=2)@10"),
        ("P-IA@5", "P_IA@5"),
        ("strec@10", "StRecall@10"),
        ("StRecall(rel=2)@10", "StRecall(rel=2)@10"),
    ],
)
def test_names_of_other_tools_are_understood(text, written):
    """ir_measures and ndeval write them with different separators."""
    assert str(parse_measure(text)) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NRBP(beta=1)", "for beta a number between 0 and 1"),
        ("nNRBP(beta=0)", "for beta a number between 0 and 1"),
        ("alpha_nDCG(alpha=1.5)@10", "for alpha a number from 0 to 1"),
        ("alpha_DCG(alpha=0)@2000000", "for k at most 1,000,000 if alpha is below 0.0001"),
        ("ERR_IA(alpha=0)@2000000", "for k at most 1,000,000 if alpha is below 0.0001"),
    ],
)
def test_invalid_parameters_are_rejected(text, message):
    """The message states what is allowed."""
    with pytest.raises(MeasureSyntaxError, match=message):
        parse_measure(text)


def test_the_hash_of_judgments_includes_subtopics_and_weights():
    """A history must not compare scores of different judgments; others keep their hash."""
    plain = {"q": {"d": 1}}
    named = [{"q": {"d": {"a": 1}}}, {"q": {"d": {"b": 1}}}, {"q": {"d": {"a": 1, "b": 0}}}]
    judgments = [Judgments.from_dict(one) for one in (plain, *named)]
    judgments.append(judgments[1].with_subtopic_weights({"q": {"a": 2}}))
    assert len({hash_of_judgments(one) for one in judgments}) == len(judgments)


def test_judgments_by_subtopic_may_be_mixed_with_plain_grades():
    """Queries without documents stay, and invalid entries are errors with their place."""
    judgments = Judgments.from_dict({"p": {}, 7: {1: {2: 1}, "e": 0}})
    assert judgments.to_dict() == {"p": {}, "7": {"1": 1.0, "e": 0.0}}
    assert judgments.subtopics == {b"7": {b"1": {b"2": 1.0}}}
    for wrong, message in (
        ({"q": {"d": {}}}, r"judgments\['q'\]\['d'\]: expected at least one subtopic, got none"),
        ({"q": {"d": {"a": "x"}}}, r"judgments\['q'\]\['d'\]\['a'\]: expected a number"),
        ({"q": {"d": {"a": 1}}, "p": 3}, r"judgments\['p'\]: expected a mapping, got int"),
        ({"q": {"d": "x"}}, r"judgments\['q'\]\['d'\]: expected a number"),
    ):
        with pytest.raises((ArgumentError, InputTypeError), match=message):
            Judgments.from_dict(wrong)
