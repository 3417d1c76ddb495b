"""Comparison with pytrec_eval, which runs trec_eval's own C code."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

from berryeval import metrics, ranking
from cases import JudgedRanking, judged_rankings
from depth import examples

KS = (1, 3, 5, 10, 20, 30)
LIST = ",".join(map(str, KS))
MEASURES = {
    f"P.{LIST}", f"recall.{LIST}", f"map_cut.{LIST}", f"success.{LIST}", f"ndcg_cut.{LIST}",
    "map", "recip_rank",
}  # fmt: skip

cutoffs = st.sampled_from(KS)


def trec_eval(case: JudgedRanking) -> dict[str, float]:
    """Score the case, with the order given by descending scores."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": {str(doc_id): grade for doc_id, grade in case.grades.items()}}, MEASURES
    )
    run = {str(doc_id): float(-rank) for rank, doc_id in enumerate(case.retrieved)}
    return evaluator.evaluate({"q": run})["q"]


# pytrec_eval needs at least one document and one judgment; berryeval returns 0 without.
cases = judged_rankings(min_size=1, min_grade=-1).filter(
    lambda case: any(grade >= 0 for grade in case.grades.values())
)


@examples(300)
@given(case=cases, k=cutoffs)
@example(case=JudgedRanking([3, 1, 2], {1: 3, 2: 1, 9: 2}), k=3)
def test_a_ranked_list_scores_like_trec_eval(case, k):
    """M1-M6: graded and binary values agree to 1e-12."""
    theirs = trec_eval(case)
    ours = ranking.compute_all(case.retrieved, case.grades, (k,))
    compared = {
        f"recall_{k}": ours.recall[k],
        f"P_{k}": ours.precision[k],
        f"success_{k}": ours.hit_rate[k],
        f"ndcg_cut_{k}": ours.ndcg[k],
        f"map_cut_{k}": ours.ap[k],
        "map": ours.average_precision,
        "recip_rank": ours.reciprocal_rank,
    }
    assert compared == pytest.approx({name: theirs[name] for name in compared}, abs=1e-12)


@examples(300)
@given(case=cases, k=cutoffs)
def test_arrays_score_like_trec_eval_rounded_to_float32(case, k):
    """B2: values are computed in float64 and cast last; precision has denominator='k'."""
    retrieved = np.full((1, 30), metrics.PADDING_ID, dtype=np.int32)
    retrieved[0, : len(case.retrieved)] = case.retrieved
    relevant = np.array([sorted(case.relevant)], dtype=np.int32)
    binary = JudgedRanking(case.retrieved, dict.fromkeys(case.relevant, 1) or {99: 0})
    theirs = trec_eval(binary)
    ours = metrics.compute_all(retrieved, relevant, (k,), denominator="k")
    compared = {
        f"recall_{k}": ours.recall[k],
        f"P_{k}": ours.precision[k],
        f"success_{k}": ours.hit_rate[k],
        f"ndcg_cut_{k}": ours.ndcg[k],
        f"map_cut_{k}": ours.average_precision[k],
    }
    for name, value in compared.items():
        assert value[0] == np.float32(theirs[name]), name


@examples(300)
@given(case=cases, k=cutoffs)
def test_graded_arrays_score_like_trec_eval_rounded_to_float32(case, k):
    """B5: this covers the parallel array of grades, including negative ones."""
    retrieved = np.full((1, 30), metrics.PADDING_ID, dtype=np.int32)
    retrieved[0, : len(case.retrieved)] = case.retrieved
    judged = np.array([list(case.grades)], dtype=np.int32)
    grades = np.array([list(case.grades.values())], dtype=np.float64)
    value = metrics.ndcg(retrieved, judged, k, grades=grades)
    assert value[0] == np.float32(trec_eval(case)[f"ndcg_cut_{k}"])
