"""The demonstration with recorded answers, for installations without a search engine."""

import json

import pytest

from berryeval.evaluation.quality import HITS
from berryeval.golden import handbook
from berryeval.suite.demo import RECORDED, SYSTEMS, RecordedSystem


@pytest.fixture(scope="module")
def recorded():
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def test_recorded_answers_are_complete(recorded):
    """Each system has ten documents per query, with and without questions."""
    queries = {query.query_id for query in handbook().queries}
    chunks = {chunk.chunk_id for chunk in handbook().chunks}
    assert tuple(recorded) == SYSTEMS
    for answers in recorded.values():
        assert set(answers) == {"with questions", "without questions"}
        for rankings in answers.values():
            assert rankings.keys() == queries
            assert {name for ranking in rankings.values() for name in ranking} <= chunks
            assert all(len(set(ranking)) == len(ranking) <= HITS for ranking in rankings.values())


def test_a_recorded_system_answers_by_what_it_indexed(recorded):
    """With questions and without, k documents in their recorded order."""
    golden = handbook()
    query = golden.queries[0]
    system = RecordedSystem("hybrid", golden)
    for which, questions in (("with questions", True), ("without questions", False)):
        assert system.index(golden.documents(questions=questions)) == len(golden.chunks)
        hits = system.search(query.text, 3)
        assert [hit.doc_id for hit in hits] == recorded["hybrid"][which][query.query_id][:3]
        assert [hit.score for hit in hits] == [3, 2, 1]
