"""Time-biased gain, against cwl_eval, which divides it by the expected number of documents."""

import json
from pathlib import Path

import pytest

from berryeval import evaluate
from compat.make_cwl_costs import HALF_LIVES, make_rankings

STORED = json.loads(Path(__file__).with_name("cwl_costs.json").read_text())


@pytest.mark.parametrize("half_life", HALF_LIVES)
def test_gain_per_document_times_documents_is_time_biased_gain(half_life):
    """Costs are lengths here, and readers open every document, as in cwl_eval."""
    rankings = make_rankings()
    grades = {
        query: {f"d{i}": int(gain) for i, gain in enumerate(gains)}
        for query, (gains, _) in rankings.items()
    }
    run = {query: [*documents] for query, documents in grades.items()}
    name = f"TBG(halflife={half_life},scan=0,page=0,pace=1,click=1,stray=1,save=1)"
    for query, (utility, documents) in STORED[str(half_life)].items():
        lengths = {f"d{i}": cost for i, cost in enumerate(rankings[query][1])}
        found = evaluate({query: grades[query]}, {query: run[query]}, name, lengths=lengths)
        assert found[name].mean == pytest.approx(utility * documents, rel=1e-12)
