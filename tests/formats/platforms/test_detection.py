"""Formats of platforms are detected from the beginning of a file."""

import json

import pytest

from berryeval.errors import FormatError
from berryeval.formats import read_judgments, read_run
from berryeval.formats.beginning import Beginning
from berryeval.formats.platforms import PLATFORM_FORMATS, load, may_be_one
from berryeval.formats.reading import sniff_format
from platform_files import FILES, MSEARCH, RRE_GAINS, SEARCH_RESPONSES, SRW_JUDGMENTS, wrapped


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", FILES)
def test_every_file_is_detected_on_one_line_and_on_many(save, name, indent):
    """Services write compact JSON, and people indent it."""
    assert sniff_format(save(FILES[name], indent=indent)) == name


@pytest.mark.parametrize("content", [*SEARCH_RESPONSES.values(), MSEARCH])
def test_search_responses_are_detected_in_every_form(save, content):
    """They may be by query, one per line, alone, or from _msearch."""
    assert sniff_format(save(content)) == "search-response"


def test_other_forms_are_detected(save):
    """These are RRE's older form, and hits that are search results for a list."""
    assert sniff_format(save(RRE_GAINS)) == "rre"
    assert sniff_format(save(wrapped(SRW_JUDGMENTS))) == "srw-judgments"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"q1": {"d1": 2, "hits": 3}}', "json"),
        ('{"q1": {"d1": 2},\n "docs": {"d1": 0}}', "json"),
        ('{"judgments": [{"query_id": "q1", "relevant": []}]}', "json"),
        ('{"query_id": "q1", "doc_id": "d1", "relevance": 2}\n', "jsonl"),
        ('{"query": "q1", "docid": "d1", "rating": 2}\n', "jsonl"),
        ("query_id,doc_id,relevance\nq1,d1,2\n", "table"),
        ("query,docid,score\nq1,d1,2\n", "table"),
        ("query,docid,rating,judge\nq1,d1,2,ada\n", "table"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t2\n", "table"),
        ("2 qid:1 # docid = d1\n", "letor"),
        ("q1\t0\td1\t2\n", "trec"),
        ("q1 Q0 d1 1 2.5 tag\n", "trec"),
    ],
)
def test_other_files_are_what_they_were(save, content, name):
    """Platforms' formats do not take precedence over general ones."""
    assert sniff_format(save(content)) == name


def test_a_trec_file_needs_no_module_of_a_platform():
    """They are imported only for files that may come from a platform."""
    assert not may_be_one(b"q1\t0\td1\t2\n")
    assert not may_be_one(b"q1 Q0 d1 1 2.5 tag\n")


def test_keys_are_found_by_depth(save):
    """This works in truncated text, and ignores keys within strings."""
    beginning = Beginning(save('{"a": [{"b": "x: {", "c": {"d\\"": 1}}], "e": 2, "cut'))
    assert beginning.keys == (frozenset("ae"), frozenset(), frozenset("bc"), frozenset({'d\\"'}))
    assert beginning.has_keys("a", "e")
    assert not beginning.has_keys("b")
    assert beginning.has_anywhere("c", "b")
    assert Beginning(save("q1 0 d1 1\n")).keys == ()


@pytest.mark.parametrize("name", PLATFORM_FORMATS)
def test_a_kind_that_a_format_does_not_hold_is_an_error(save, name):
    """The message has what was expected and what the file contains."""
    holds = load(name).HOLDS
    for kind, read in (("judgments", read_judgments), ("run", read_run)):
        if kind not in holds.reads:
            with pytest.raises(FormatError, match=f"expected .*, found .* in the format {name}$"):
                read(save(json.dumps(FILES.get(name, {}))), format=name)
