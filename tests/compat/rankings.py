"""Judgments and runs as dicts, for tests that compare with other tools."""

from hypothesis import strategies as st

__all__ = ["GRADES", "judged_runs"]

GRADES = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
QUERIES = [f"q{number}" for number in range(4)]
DOCUMENTS = [f"d{number}" for number in range(12)]
CLOSE = st.sampled_from([1, 2, 0.5, 1.00000001, 1.00000002, -3.25, 1e300])
"""Scores that tie, including some that only tie in 32 bits."""


@st.composite
def judged_runs(draw, *, has_ties=True):
    """Draw judgments and a run, which pytrec_eval can score without a crash.

    Each query has a grade of at least 0, and each ranking a document.
    """
    qrels = {}
    for query in draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True)):
        judged = draw(st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, max_size=12))
        qrels[query] = judged | {"d99": draw(st.sampled_from([0, 1, 2]))}
    run = {}
    for query in draw(st.lists(st.sampled_from([*QUERIES, "other"]), min_size=1, unique=True)):
        found = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        scores = st.lists(CLOSE, min_size=len(found), max_size=len(found))
        ranks = list(range(len(found), 0, -1))
        numbers = draw(scores if has_ties else st.permutations(ranks))
        run[query] = dict(zip(found, map(float, numbers), strict=True))
    return qrels, run
