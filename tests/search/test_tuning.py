"""Settings that may be changed from outside: names, ranges, and engines that share an index."""

import pytest

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError
from berryeval.search.systems.embedded import Embedded
from berryeval.search.tuning import LONGEST_VALUE, read_changes, tunables_of

DOCUMENTS = [
    Document("d1", "Renew tokens hourly.", "OAuth"),
    Document("d2", "OAuth and ripe bananas, renewed.", "Fruit"),
    Document("d3", "Nothing else.", "Renew"),
]


def facts(place, settings=None):
    return {one.name: one for one in tunables_of(place, settings)}


def test_choices_and_defaults_come_from_the_constructor():
    """A hybrid engine has them all; engines that search in one way have few."""
    hybrid = facts("hybrid")
    assert hybrid["mode"].choices == ("bm25", "vector", "hybrid")
    assert (hybrid["mode"].value, hybrid["fusion"].choices) == ("hybrid", ("scores", "ranks"))
    assert (hybrid["weights"].kind, hybrid["weights"].value) == ("pair", "4,1")
    assert (hybrid["depth"].kind, hybrid["depth"].value, hybrid["depth"].least) == (
        "whole", "100", 1)  # fmt: skip
    assert list(facts("bm25")) == ["title_weight"]
    assert not facts("vector")
    assert facts("hybrid", {"fusion": "ranks"})["weights"].value == "1,1"
    assert facts("opensearch:http://h/i")["mode"].choices == ("bm25", "vector", "hybrid")
    assert facts("postgresql://h/d", {"rank": "ts_rank_cd"})["rank"].value == "ts_rank_cd"


def test_files_tables_hosts_and_credentials_cannot_be_changed():
    """Settings that name something on the server are not offered, and no file is shown."""
    offered = {
        name
        for place in ("hybrid", "postgresql://h/d", "opensearch:http://h/i", "http://h/{query}")
        for name in facts(place)
    }
    assert not offered & {
        "path", "table", "embedder", "vector_cache", "index", "user", "password", "api_key",
        "dsn", "headers", "search_pipeline", "id",
    }  # fmt: skip
    assert facts("opensearch:http://h/i", {"template": "/etc/passwd"})["template"].value is None
    assert not facts("postgresql://h/d", {"template": "query.sql"})
    assert not facts("module:function")
    assert not facts("replay:file.run")


def test_only_values_that_differ_are_changes():
    """Blank values, and other spellings of the same number, are not changes."""
    known = tunables_of("hybrid")
    assert read_changes(known, {"depth": "100", "late": " ", "weights": "4.0, 1"}) == {}
    assert read_changes(known, {"depth": " 50 ", "fusion": "ranks"}) == {
        "depth": "50", "fusion": "ranks"}  # fmt: skip


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        ("hybrid", "path", "/etc"),
        ("hybrid", "depth", "0"),
        ("hybrid", "depth", "1e9"),
        ("hybrid", "late", "nan"),
        ("hybrid", "late", "inf"),
        ("hybrid", "weights", "1"),
        ("hybrid", "weights", "nan,1"),
        ("hybrid", "weights", "1,2,3"),
        ("hybrid", "late", "1,2"),
        ("hybrid", "fusion", "magic"),
        ("opensearch:http://h/i", "template", "/etc/passwd"),
        ("opensearch:http://h/i", "template", "{" * 300),
        ("http://h/{query}", "body", "/etc/passwd"),
        ("http://h/{query}", "ids", "x" * (LONGEST_VALUE + 1)),
    ],
)
def test_values_from_outside_are_checked(place, name, value):
    """Unknown names, numbers out of range, names of files and deep nesting are rejected."""
    with pytest.raises(ArgumentError, match="setting"):
        read_changes(tunables_of(place), {name: value})


def test_an_engine_with_other_settings_searches_the_same_index():
    """It returns the same as an engine that was built with these settings."""
    engine = Embedded("hybrid")
    engine.index(DOCUMENTS)
    cases = [
        ({"mode": "bm25", "title_weight": 5.0}, Embedded("bm25", title_weight=5.0)),
        ({"mode": "vector"}, Embedded("vector")),
        ({"fusion": "ranks"}, Embedded("hybrid", fusion="ranks", weights=(4, 1))),
        ({"weights": (0.0, 1.0), "late": 0.0}, Embedded("hybrid", weights=(0, 1), late=0)),
    ]
    for changes, built in cases:
        built.index(DOCUMENTS)
        varied = engine.varied(**changes)
        assert varied.search("renew OAuth", 3) == built.search("renew OAuth", 3)
        assert varied.fingerprint() == built.fingerprint()
    assert engine.search("renew OAuth", 3) == engine.varied().search("renew OAuth", 3)


def test_an_index_without_what_a_setting_needs_is_named():
    """A BM25 index has no vectors, and one without tokens cannot match them."""
    words = Embedded("bm25")
    words.index(DOCUMENTS)
    plain = Embedded("hybrid", late=0, feedback=0)
    plain.index(DOCUMENTS)
    for engine, changes in [
        (words, {"mode": "hybrid"}), (plain, {"late": 1.0}), (plain, {"feedback": 3})
    ]:  # fmt: skip
        with pytest.raises(ArgumentError, match="built for"):
            engine.varied(**changes)
