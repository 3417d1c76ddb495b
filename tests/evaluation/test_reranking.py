"""How good any reranker of the first documents could be."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.reranking import ideally_reranked
from berryeval.measures import parse_measure
from cases import score_ranking
from depth import examples

JUDGMENTS = {"q1": {"a": 2, "b": 1, "c": 0, "n": -1}, "q2": {"a": 1}}
RUN = {"q1": ["x", "c", "n", "b", "a"], "q2": ["x", "y", "a"], "q3": ["z"]}

MEASURES = [
    "nDCG@3", "AP", "RR", "P@2", "ERR", "RBP", "Compat", "BPM(T=2,max_grade=3)@4", "SDCG@3",
    "INST(max_grade=3)", "NERR8(max_grade=3)@4", "NERR11(max_grade=3)", "PairwiseAccuracy",
    "nDCG(judged_only=True)@2",
]  # fmt: skip


def test_the_first_documents_are_ordered_by_grade():
    """Unjudged ones come last, in their order, and what is below the depth stays."""
    judgments, run = Judgments.from_dict(JUDGMENTS), Run.from_lists(RUN)
    best = ideally_reranked(judgments, run, 4)
    assert best.ranking("q1") == ["b", "c", "x", "n", "a"]
    assert best.ranking("q2") == ["a", "x", "y"]
    assert best.ranking("q3") == ["z"]
    assert ideally_reranked(judgments, run, 3, 2).ranking("q2") == ["a", "x"]
    assert ideally_reranked(judgments, run, 1, 3).ranking("q1") == ["x", "c", "n"]


@pytest.mark.parametrize("name", MEASURES)
@examples(15)
@given(
    grades=st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 3), min_size=1),
    ranking=st.lists(st.sampled_from("abcdef"), unique=True, min_size=1, max_size=6),
    depth=st.integers(1, 4),
)
def test_no_order_is_better(name, grades, ranking, depth):
    """All orders of the first documents are tried."""
    measure = parse_measure(name)
    found = be.reranking_ceiling({"q": grades}, {"q": ranking}, measure, [depth])
    by_id = {doc_id.encode(): float(grade) for doc_id, grade in grades.items()}
    tried = [
        score_ranking(measure, [d.encode() for d in (*first, *ranking[depth:])], by_id)
        for first in itertools.permutations(ranking[:depth])
    ]
    assert found.at[depth][name].mean == pytest.approx(max(tried), abs=1e-12)


def test_depths_rise_from_the_run_as_it_is():
    """Each depth contains those before it."""
    found = be.reranking_ceiling(JUDGMENTS, RUN, ["RR", "AP"], [5, 2, 2])
    assert found.means() == {1: (1 / 4 + 1 / 3) / 2, 2: (1 / 4 + 1 / 3) / 2, 5: 1.0}
    assert found.means(be.AP)[5] == found.at[5]["AP"].mean == 1.0
    assert found.current["RR"].mean == found.means("mrr")[1]
    assert repr(found) == (
        "<RerankingCeiling of RR: 0.2917 as it is, at best 0.2917 at 2, 1.0000 at 5>"
    )


def test_options_are_those_of_evaluate():
    """Unjudged documents, missing queries and the query itself are treated as there."""
    judgments, run = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}, {"q1": ["q1", "x", "b", "a"]}
    found = be.reranking_ceiling(
        judgments, run, "P@1", [1, 2], missing="skip", exclude_self=True, judged_only=True
    )
    assert found.means() == {1: 0.0, 2: 0.0}
    assert found.current.n_queries == 1
    assert [*found.current] == ["P(judged_only=True)@1"]
    assert be.reranking_ceiling(judgments, run, "P@1", [4], missing="skip").means()[4] == 1.0


def test_depths_are_checked():
    """There is at least one, and each is a whole number."""
    with pytest.raises(ArgumentError, match="depths: expected at least one, got none"):
        be.reranking_ceiling(JUDGMENTS, RUN, depths=[])
    with pytest.raises(ArgumentError, match="at least 1, got 0"):
        be.reranking_ceiling(JUDGMENTS, RUN, depths=[0])


def test_a_chart_has_a_point_per_depth():
    """It can be drawn even if nothing is reranked."""
    found = be.reranking_ceiling(JUDGMENTS, RUN, "RR", [2, 5])
    chart = found.plot()
    assert chart.title == "Best possible mean RR by documents reranked"
    assert chart.description == "best 0.292 at 1, 1.000 at 5."
    assert chart.to_svg().count("<circle") == 1 + 3
    assert be.reranking_ceiling(JUDGMENTS, RUN, "RR", [1]).plot("RR").to_svg()
