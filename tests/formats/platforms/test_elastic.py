"""Requests and responses of Elasticsearch and OpenSearch."""

import json

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.losses import Loss, count_losses
from berryeval.formats.platforms.elastic.search_response import are_numbered
from berryeval.formats.scores import read_scores, write_scores
from platform_files import MSEARCH, RANK_EVAL, RANK_EVAL_RESPONSE, SEARCH_RESPONSES

HITS = {"d7": 2.5, "d9": 1.25}


def test_the_ratings_of_a_request_are_judgments(save):
    """Indices are left out and counted if there are several."""
    with count_losses() as losses:
        judgments = read_judgments(save(RANK_EVAL))
    assert judgments.to_dict() == {"q1": {"d7": 3.0, "d9": 0.0}, "q2": {"d1": 1.0}}
    assert losses == {Loss.INDICES: 3}


def test_a_document_that_two_indices_have_is_a_duplicate(save):
    """An id stands for one document."""
    ratings = [{"_index": name, "_id": "d1", "rating": 1} for name in "ab"]
    with pytest.raises(FormatError, match="document 'd1' is judged a second time for query 'q1'"):
        read_judgments(save({"requests": [{"id": "q1", "ratings": ratings}]}))


def test_a_request_is_written_with_one_template(tmp_path):
    """The parameter is the text of the query where it is known."""
    judgments = Judgments.from_dict({"q1": {"d7": 3, "d9": -1}, "q2": {}})
    path = tmp_path / "r.json"
    write_judgments(judgments, path, format="rank-eval", texts={"q1": "led tv"})
    first, second = json.loads(path.read_text())["requests"]
    assert first == {
        "id": "q1",
        "template_id": "query",
        "params": {"query_string": "led tv"},
        "ratings": [{"_index": "default", "_id": "d7", "rating": 3}],
    }
    assert second["params"] == {"query_string": "q2"}
    assert read_judgments(path).to_dict() == {"q1": {"d7": 3.0}}


@pytest.mark.parametrize("name", ["rank-eval", "rre-gains"])
def test_a_grade_with_a_fraction_is_refused_where_ratings_are_whole(tmp_path, name):
    """Rounding it would change scores, and so would leaving it out."""
    with pytest.raises(InputError, match=r"whole grades only, but 'd1' for query 'q1' has 0\.5"):
        write_judgments(Judgments.from_dict({"q1": {"d1": 0.5}}), tmp_path / "a", format=name)


def test_a_response_has_scores_a_run_and_judgments(save):
    """Failed queries and unrated hits are left out and counted."""
    path = save(RANK_EVAL_RESPONSE)
    with count_losses() as losses:
        assert read_scores(path) == {"precision": {"q1": 0.75, "q2": 0.05}}
    assert losses == {Loss.FAILED: 1}
    assert read_run(path).to_dict() == {"q1": {"d7": 7.5, "d4": 6.25}}
    assert read_judgments(path).to_dict() == {"q1": {"d7": 3.0}}


def test_scores_of_one_measure_are_written_as_a_response(tmp_path):
    """It has their mean; several measures are rejected."""
    path = tmp_path / "r.json"
    write_scores({"precision": {"q1": 0.75, "q2": 0.25}}, path, format="rank-eval-response")
    assert json.loads(path.read_text())["metric_score"] == 0.5
    assert read_scores(path) == {"precision": {"q1": 0.75, "q2": 0.25}}
    for scores in ({"a": {"q": 1.0}, "b": {"q": 1.0}}, {"a": {}}, {}):
        with pytest.raises(InputError, match="holds the scores of one measure, not of"):
            write_scores(scores, path, format="rank-eval-response")


@pytest.mark.parametrize("form", SEARCH_RESPONSES)
def test_responses_that_name_their_query_are_a_run(save, form):
    """They may be by query, or one per line."""
    path = save(SEARCH_RESPONSES[form])
    assert read_run(path).to_dict() == {"q1": HITS}
    assert not are_numbered(path)


def test_responses_without_a_query_are_numbered(save):
    """This covers _msearch and a single response; errors are left out but counted."""
    path = save(MSEARCH)
    with count_losses() as losses:
        assert read_run(path).to_dict() == {"1": HITS}
    assert losses == {Loss.FIELDS: 1, Loss.FAILED: 1}
    assert are_numbered(path)
    assert read_run(save(MSEARCH["responses"][0], indent=1)).to_dict() == {"1": HITS}


def test_hits_that_were_sorted_by_a_field_get_their_scores_from_ranks(save):
    """Their own score is missing or null."""
    hits = [{"_id": "d7", "_score": None, "sort": [1]}, {"_id": "d9", "sort": [2]}]
    assert read_run(save({"q1": {"hits": {"hits": hits}}})).to_dict() == {
        "q1": {"d7": 1.0, "d9": 0.5}
    }


def test_an_invalid_response_is_reported_with_its_path(save):
    """If there is one per line, the message has the line."""
    path = save({"q1": {"hits": {"hits": [{"_score": 1}]}}})
    with pytest.raises(FormatError) as caught:
        read_run(path)
    where = '["q1"].hits.hits[0]'
    assert str(caught.value) == f"{path}: {where}: expected a key '_id', found '_score'"
    path = save('{"query_id": "q1", "hits": {"hits": []}}\n{"query_id": "q2", "hits": \n')
    with pytest.raises(FormatError, match=":2: expected a JSON document"):
        read_run(path)


def test_a_run_is_written_as_responses_by_query(tmp_path):
    """Every digit of a score survives, best first."""
    run = Run.from_dict({"q1": {"d1": 0.1, "d2": 1 / 3}, "q2": {}})
    write_run(run, tmp_path / "s.json", format="search-response")
    content = json.loads((tmp_path / "s.json").read_text())
    assert [hit["_id"] for hit in content["q1"]["hits"]["hits"]] == ["d2", "d1"]
    assert read_run(tmp_path / "s.json").to_dict() == {"q1": {"d2": 1 / 3, "d1": 0.1}}
