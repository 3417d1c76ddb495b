"""User models, compatibility and pairwise accuracy, against cwl_eval and ir_measures."""

import json
from pathlib import Path

import pytest

from berryeval import evaluate, user_model
from berryeval.measures import parse_measure
from compat.make_cwl_values import OTHERS, USER_MODELS, make_data

STORED = json.loads(Path(__file__).with_name("cwl_values.json").read_text())

QRELS, RUN = make_data()


def ranked_grades(query):
    return [QRELS[query].get(document) for document in RUN[query]]


@pytest.mark.parametrize("name", USER_MODELS)
def test_values_equal_those_of_cwl_eval(name):
    """Their own spelling is read, and rankings of up to 1,200 documents agree."""
    found = evaluate(QRELS, RUN, name)[name].by_query
    expected = {query: values[0] for query, values in STORED[name].items()}
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", OTHERS)
def test_values_equal_those_of_ir_measures(name):
    """It leaves out queries without a relevant document in the ranking, which score 0 here."""
    found = evaluate(QRELS, RUN, name)[name].by_query
    missing = dict.fromkeys(found.keys() - STORED[name].keys(), 0.0)
    assert found == pytest.approx(STORED[name] | missing, abs=1e-12)


@pytest.mark.parametrize("name", USER_MODELS)
def test_the_user_model_explains_the_value(name):
    """Expected utility is the measure, and the number of documents is that of cwl_eval."""
    measure = parse_measure(name)
    for query, (utility, _, documents) in STORED[name].items():
        model = user_model(measure, ranked_grades(query))
        assert model.expected_utility == pytest.approx(utility, abs=1e-12)
        assert model.expected_documents == pytest.approx(documents, rel=1e-12)


CUT = [name for name in USER_MODELS if "@" in name and not name.endswith("000")]


@pytest.mark.parametrize("name", CUT)
def test_total_utility_equals_that_of_cwl_eval_at_a_cutoff(name):
    """Without a cutoff, cwl_eval leaves out readers who would continue after 1,000 documents."""
    for query, (_, total, _) in STORED[name].items():
        model = user_model(name, ranked_grades(query))
        assert model.expected_total_utility == pytest.approx(total, abs=1e-12)
