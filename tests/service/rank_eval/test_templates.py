"""Search templates, and queries reduced to their text."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import InputError
from berryeval.service.rank_eval.search_text import (
    EVERYTHING,
    SearchTarget,
    check_parts,
    read_search,
)
from berryeval.service.rank_eval.templates import MAX_CHARACTERS, _tags, fill_template


@pytest.mark.parametrize(
    ("source", "parameters", "filled"),
    [
        ("{{q}}", {"q": "berlin"}, "berlin"),
        ("{{ q }}!", {"q": "berlin"}, "berlin!"),
        ('"{{q}}"', {"q": 'say "hi"\n'}, r'"say \"hi\"\n"'),
        ("{{{q}}} {{&q}}", {"q": '"'}, '" "'),
        ("{{a.b}}", {"a": {"b": 7}}, "7"),
        ("{{a.c}}{{b.c}}", {"a": {"b": 7}, "b": 3}, ""),
        ("{{flag}} {{list}}", {"flag": True, "list": [1, "x"]}, r"true [1, \"x\"]"),
        ("{{{list}}}", {"list": [1, "x"]}, '[1, "x"]'),
        ("{{#toJson}}list{{/toJson}}", {"list": [1, "x"]}, '[1, "x"]'),
        ("{{#q}}has {{q}}{{/q}}{{^q}}none{{/q}}", {"q": "it"}, "has it"),
        ("{{#q}}has {{q}}{{/q}}{{^q}}none{{/q}}", {}, "none"),
        ("{{#a}}{{#b}}both{{/b}}{{/a}}.", {"a": 1}, "."),
        ("{{#q}}{{#toJson}}list{{/toJson}}{{/q}}", {"list": [1]}, ""),
        ("{{^zero}}no{{/zero}}{{^f}}f{{/f}}{{^e}}e{{/e}}", {"zero": 0, "f": False, "e": []}, "fe"),
        ("a{{! a remark }}b", {}, "ab"),
        ("nothing to fill", {}, "nothing to fill"),
    ],
)
def test_templates_are_filled_in(source, parameters, filled):
    """Variables, escapes, JSON, sections and comments are supported."""
    assert fill_template(source, parameters) == filled


@given(st.text())
def test_parameters_cannot_break_out_of_their_text(value):
    """For any parameter, the template stays JSON and contains it as text."""
    filled = fill_template('{"query": "{{q}}"}', {"q": value})
    assert json.loads(filled) == {"query": value}


TAG = re.compile(
    r"\{\{\{\s*(?P<raw>[^{}]*?)\s*\}\}\}|\{\{\s*(?P<kind>[#^/&!]?)\s*(?P<name>[^{}]*?)\s*\}\}"
)


@given(st.text("{}# a", max_size=16))
def test_tags_follow_the_grammar(source):
    """One pattern would find the same, but takes forever on some texts."""
    expected = [
        (one.start(), one.end(), "&", one["raw"])
        if one["raw"] is not None
        else (one.start(), one.end(), one["kind"], one["name"])
        for one in TAG.finditer(source)
    ]
    assert [(tag.start, tag.end, tag.kind, tag.name) for tag in _tags(source)] == expected


@pytest.mark.parametrize("part", ["{{ ", "{", "{{a ", "{{{ a } ", "{{#a}}", "}} {{", "{{{a}}"])
def test_rendering_time_is_linear_in_the_length(part):
    """A template ten times as long takes about ten times as long."""

    def seconds(source):
        began = time.thread_time()
        assert list(_tags(source)) is not None
        return time.thread_time() - began

    short = min(seconds(part * 2000) for _ in range(3))
    assert min(seconds(part * 20_000) for _ in range(3)) < 40 * short + 0.05


def test_templates_have_a_maximum_length():
    """The result has one, too, however often it repeats a parameter."""
    assert len(fill_template("x" * MAX_CHARACTERS, {})) == MAX_CHARACTERS
    for source in ("x" * (MAX_CHARACTERS + 1), "{{q}}" * 20_000):
        with pytest.raises(InputError, match="expected at most 1,000,000 characters"):
            fill_template(source, {"q": "y" * 100_000})


@pytest.mark.parametrize(
    ("source", "reported"),
    [("{{#a}}x", "{{/a}}"), ("x{{/a}}", "{{#a}}"), ("{{#a}}{{#b}}{{/a}}{{/b}}", "{{#a}}")],
)
def test_sections_must_be_closed_in_order(source, reported):
    """The message names the missing section."""
    with pytest.raises(InputError) as error:
        fill_template(source, {"a": 1, "b": 1})
    assert reported in str(error.value)


TEXTS = {
    "match": {"text": "amsterdam"},
    "multi_match": {"query": "amsterdam", "fields": ["title^2", "text"]},
    "query_string": {"query": "amsterdam"},
    "simple_query_string": {"query": "amsterdam", "default_operator": "and"},
}


@pytest.mark.parametrize("name", TEXTS)
def test_queries_are_reduced_to_their_text(name):
    """The store determines fields and operators."""
    assert read_search({"query": {name: TEXTS[name]}}) == SearchTarget("amsterdam")


def test_a_match_may_have_options():
    """The text is then under query; numbers are treated as text."""
    assert read_search({"query": {"match": {"f": {"query": 7, "boost": 2}}}}).text == "7"


def test_a_bool_query_joins_texts():
    """should and must may be single, lists or nested; match_all adds nothing."""
    inner = {"bool": {"should": [{"match": {"t": "b"}}, {"match_all": {}}]}}
    query = {"bool": {"must": {"match": {"t": "a"}}, "should": [inner], "minimum_should_match": 1}}
    assert read_search({"query": query}).text == "a b"
    assert read_search({"query": {"bool": {"must": [{"match_all": {}}]}}}) == EVERYTHING


def test_match_all_and_ids_are_recognised():
    """No query means everything, as in Elasticsearch."""
    assert read_search({}) == EVERYTHING
    assert read_search({"query": {"match_all": {}}, "size": 3, "_source": False}) == EVERYTHING
    assert read_search({"query": {"ids": {"values": ["d1"]}}}) == SearchTarget(ids=("d1",))


def nested(depth: int) -> dict:
    query = {"match": {"t": "x"}}
    for _ in range(depth):
        query = {"bool": {"must": query}}
    return query


@pytest.mark.parametrize(
    ("search", "reported"),
    [
        ({"query": {"term": {"f": "x"}}}, "query [term] is not supported; use one of match,"),
        ({"query": {"match": {"a": "x", "b": "y"}}}, "[match] query malformed, expected one field"),
        ({"query": {"match": {"a": ["x"]}}}, "[match] query malformed, expected a text"),
        ({"query": {"match": "x"}}, "[match] query malformed, expected an object"),
        ({"query": {"multi_match": {"fields": ["a"]}}}, "[multi_match] query malformed"),
        ({"query": {"match": {"a": True}}}, "expected a text"),
        ({"query": []}, "malformed query"),
        ({"query": {}}, "malformed query"),
        ({"query": {"ids": {"values": "d1"}}}, "[ids] query malformed"),
        ({"query": {"ids": {"values": [1]}}}, "[ids] query malformed"),
        ({"query": {"bool": {"filter": []}}}, "[bool] clause [filter] is not supported"),
        ({"query": {"bool": {"must": {"ids": {"values": []}}}}}, "a nested query [ids]"),
        ({"query": {"match_all": {}}, "sort": ["bar"]}, "[sort] in a search request"),
        ({"query": nested(30)}, "at most 20 levels of nested queries"),
    ],
)
def test_unsupported_queries_are_rejected(search, reported):
    """A clear error is better than the answer to another query."""
    with pytest.raises(InputError) as error:
        read_search(search)
    assert reported in str(error.value)


def test_twenty_levels_of_nesting_are_allowed():
    """The limit is far beyond realistic queries."""
    assert read_search({"query": nested(20)}).text == "x"


@pytest.mark.parametrize(
    ("part", "reported"),
    [
        ({"aggs": {}}, "should not contain aggregations."),
        ({"aggregations": {"a": {}}}, "should not contain aggregations."),
        ({"suggest": {}}, "should not contain a suggest section."),
        ({"highlight": {}}, "should not contain a highlighter section."),
        ({"explain": True}, "should not use explain."),
        ({"profile": "true"}, "should not use profile."),
    ],
)
def test_parts_that_do_not_rank_are_forbidden(part, reported):
    """Rule and message are those of Elasticsearch."""
    with pytest.raises(InputError, match="Query in rated requests") as error:
        check_parts({"query": {"match_all": {}}, **part})
    assert str(error.value).endswith(reported)
    check_parts({"explain": False, "profile": False})
