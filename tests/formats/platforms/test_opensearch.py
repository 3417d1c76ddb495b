"""Files of OpenSearch's Search Relevance Workbench."""

import json

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import read_judgments, read_queries, read_run, write_judgments, write_run
from berryeval.formats.losses import Loss, count_losses
from berryeval.formats.queries import write_queries
from berryeval.formats.scores import read_scores, write_scores
from platform_files import SRW_EXPERIMENT, SRW_JUDGMENTS, SRW_QUERY_SET, wrapped

GRADES = {"led tv": {"d7": 3.0, "d9": 0.0}, "hdmi": {"d1": 0.5}}


@pytest.mark.parametrize("shape", [lambda one: one, wrapped])
def test_a_judgment_list_is_read_as_a_body_and_as_a_response(save, shape):
    """Ratings are text or numbers."""
    assert read_judgments(save(shape(SRW_JUDGMENTS))).to_dict() == GRADES


def test_older_lists_are_objects_by_query(save):
    """Ratings are an object, or a list as in newer versions."""
    ratings = {"led tv": {"d7": "3.0", "d9": "0"}, "hdmi": [{"docId": "d1", "rating": 0.5}]}
    assert read_judgments(save({"judgmentRatings": ratings})).to_dict() == GRADES


def test_the_type_of_a_list_is_the_source_of_its_grades(save):
    """A language model's grades are distinguished from people's; imported lists have no source."""
    judgments = read_judgments(save(SRW_JUDGMENTS | {"type": "LLM_JUDGMENT"}))
    assert judgments.opinions[b"hdmi"][b"d1"][0].source == b"LLM_JUDGMENT"
    assert read_judgments(save(SRW_JUDGMENTS)).opinions == {}


def test_several_lists_are_an_error(save):
    """The message has the way out."""
    content = wrapped(SRW_JUDGMENTS)
    content["hits"]["hits"] *= 2
    with pytest.raises(FormatError, match="expected one judgment list, found 2; fetch one by its"):
        read_judgments(save(content))


def test_a_list_is_written_as_the_workbench_imports_it(tmp_path):
    """Ratings are text; negative ones have no place."""
    judgments = Judgments.from_dict({"led tv": {"d7": 3, "d9": -1}})
    write_judgments(judgments, tmp_path / "a.json", format="srw-judgments")
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "name": "BerryEval",
        "description": "",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [{"query": "led tv", "ratings": [{"docId": "d7", "rating": "3"}]}],
    }


def test_an_experiment_has_a_run_and_scores(save):
    """It may be the body of an import, or hits from the index of results."""
    entries = SRW_EXPERIMENT["evaluationResultList"]
    hits = [{"_source": {"searchConfigurationId": "c1", **entry}} for entry in entries]
    for content in (SRW_EXPERIMENT, {"took": 1, "hits": {"hits": hits}}):
        path = save(content)
        assert read_run(path).to_dict() == {"led tv": {"d7": 1.0, "d9": 0.5}, "hdmi": {"d1": 1.0}}
        assert read_scores(path) == {
            "NDCG@10": {"led tv": 0.8, "hdmi": 0.0},
            "MAP@10": {"led tv": 1.0},
        }


def test_results_of_two_configurations_are_no_run(save):
    """The message has the way out."""
    entries = [
        {"searchText": "led tv", "documentIds": ["d1"], "searchConfigurationId": name}
        for name in "ab"
    ]
    with pytest.raises(FormatError, match=r"results of one search configuration, .*jq"):
        read_run(save({"evaluationResultList": entries}))


def test_runs_and_scores_are_written_as_an_experiment(tmp_path):
    """Both can be read again."""
    path = tmp_path / "e.json"
    write_run(Run.from_dict({"led tv": {"d9": 0.2, "d7": 0.9}}), path, format="srw-experiment")
    assert read_run(path).ranking("led tv") == ["d7", "d9"]
    scores = {"nDCG@10": {"led tv": 0.25, "hdmi": 1.0}, "AP": {"hdmi": 0.5}}
    write_scores(scores, path, format="srw-experiment")
    assert read_scores(path) == scores


def test_scores_have_a_place_in_some_formats_only(tmp_path):
    """The message lists them."""
    with pytest.raises(ArgumentError, match=r"one that holds scores \(jsonl, table, "):
        write_scores({"AP": {"q1": 1.0}}, tmp_path / "a", format="trec")


@pytest.mark.parametrize("shape", [lambda one: one, wrapped])
def test_a_query_set_is_read_as_a_body_and_as_a_response(save, shape):
    """Other fields are left out and counted."""
    with count_losses() as losses:
        queries = read_queries(save(shape(SRW_QUERY_SET)))
    assert queries == [
        Query("led tv", "led tv", description="A flat screen"),
        Query("hdmi", "hdmi"),
    ]
    assert losses == {Loss.QUERY_FACTS: 1}


def test_queries_are_written_as_a_query_set(tmp_path):
    """Descriptions are reference answers."""
    queries = [Query("q1", "led tv", description="A flat screen"), Query("q2", "hdmi")]
    write_queries(queries, tmp_path / "q.json", format="srw-query-set")
    assert [one.text for one in read_queries(tmp_path / "q.json")] == ["led tv", "hdmi"]
    with pytest.raises(ArgumentError, match="format: expected one that queries are written in"):
        write_queries(queries, tmp_path / "q.json", format="quepid-case")


def test_several_query_sets_are_an_error(save):
    """The message has the way out."""
    content = wrapped(SRW_QUERY_SET)
    content["hits"]["hits"] *= 2
    with pytest.raises(FormatError, match="expected one query set, found 2; fetch one by its id"):
        read_queries(save(content))
