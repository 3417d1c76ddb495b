"""Weights of queries, from a query log or from the shares of their kinds."""
# ruff: noqa: E501 - one case per line

import json

import pytest

from berryeval.core import Query
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.queries import iter_log, read_queries, write_weights
from berryeval.golden.weights import weight_by_shares, weight_by_traffic

A_COUNT = "expected a count, a finite number of at least 0, found"
LOG = [("reset password", 12.0), ("delete account", 3.0)]


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write(content, name="log"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        '{"query": "reset password", "count": 12}\n\n{"query": "delete account", "count": 3.0}\n',
        "query,count\nreset password,12\ndelete account,3\n",
        'Count\tuser\tQuery\n12\tx\t"reset password"\n3\ty\tdelete account\n',
        "reset password\t12\ndelete account\t3\n",
    ],
    ids=["jsonl", "csv", "tsv", "two columns"],
)
def test_a_log_is_read_from_every_format(write, content):
    """A query and its count are read, and other columns are ignored."""
    assert list(iter_log(write(content))) == LOG


@pytest.mark.parametrize(
    "content",
    ["a b\n\n c, d \n", '{"query": "a b"}\n{"text": "c, d"}\n', 'query\na b\n"c, d"\n'],
    ids=["plain", "jsonl", "one column"],
)
def test_without_a_count_each_line_is_one_search(write, content):
    """Plain text has one query per line."""
    assert list(iter_log(write(content))) == [("a b", 1), ("c, d", 1)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": expected a query log, found nothing"),
        ('{"query": "a"}\n{"count": 1}\n', ":2: expected a query under 'query', found 'count'"),
        ('{"query": "a", "count": -1}\n', f":1: {A_COUNT} '-1'"),
        ('{"query": "a", "count": true}\n', f":1: {A_COUNT} 'True'"),
        ("query,count\na,1\nb,many\n", f":3: {A_COUNT} 'many'"),
        ("query,count\na,1\nb,1,2\n", ":3: expected 2 columns, found 3"),
        ("a\t1\nb\n", ":2: expected a query, a tab and a count, found 'b'"),
        ("a\t1_000\n", f":1: {A_COUNT} '1_000'"),
        ("a\tinf\n", f":1: {A_COUNT} 'inf'"),
    ],
)  # fmt: skip
def test_a_bad_log_is_named_with_its_line(write, content, message):
    """The message shows what was expected and found."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        list(iter_log(path))
    assert str(caught.value) == f"{path}{message}"


def test_searches_are_counted_by_text():
    """Case, white space and Unicode form do not matter; other searches are counted separately."""
    queries = [Query("q1", "Reset  the ﬁle"), Query("q2", "ÜBER"), Query("q3", "never")]
    log = [("reset the file", 2), (" RESET THE FILE", 3), ("u\u0308ber", 1), ("other", 4)]
    found = weight_by_traffic(queries, log)
    assert found.weights == {"q1": 5, "q2": 1}
    assert found.unasked == ("q3",)
    assert (found.matched, found.unmatched, found.share) == (6, 4, 0.6)


def test_queries_of_the_same_text_share_its_searches():
    """Their weights add up to the traffic."""
    queries = [Query("q1", "a"), Query("q2", "A")]
    assert weight_by_traffic(queries, [("a", 3)]).weights == {"q1": 1.5, "q2": 1.5}


@pytest.mark.parametrize(
    ("counts", "effective"),
    [([], 0), ([7], 1), ([2, 2, 2], 3), ([3, 1], 16 / 10), ([1e200, 1e200], 2)],
)
def test_the_effective_number_of_queries_is_that_of_kish(counts, effective):
    """It is (sum w)^2 / sum w^2; with equal weights each query counts as one."""
    queries = [Query(str(n), f"text {n}") for n in range(len(counts))]
    log = [(f"text {n}", count) for n, count in enumerate(counts)]
    assert weight_by_traffic(queries, log).effective == pytest.approx(effective)


WEIGHTS = {"q1": 12.0, "q3": 0.5}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "q.json",
            '{\n  "queries": [\n    {"id": "q1", "query": "ü", "more": 1},\n'
            '    {"id": "q2", "query": "b", "weight": 3}, {"id": "q3", "query": "c"}]}\n',
            None,
        ),
        (
            "q.jsonl",
            '{"_id":"q1", "text": "ü", "more": 1}\n\n{"_id": "q2",  "text": "b", "weight": 3}\n'
            '{"_id": "q3", "text": "c"}\n',
            '{"_id": "q1", "text": "ü", "more": 1, "weight": 12}\n\n{"_id": "q2", "text": "b"}\n'
            '{"_id": "q3", "text": "c", "weight": 0.5}\n',
        ),
        (
            "q.csv",
            'id,Text,more\nq1,"ü, x",1\nq2,b,\nq3,c,\n',
            'id,Text,more,weight\nq1,"ü, x",1,12\nq2,b,,\nq3,c,,0.5\n',
        ),
        (
            "q.tsv",
            "id\tweight\ttext\nq1\t\tü\nq2\t3\tb\nq3\t1\tc\n",
            "id\tweight\ttext\nq1\t12\tü\nq2\t\tb\nq3\t0.5\tc\n",
        ),
    ],
)
def test_weights_are_written_and_other_fields_are_kept(write, name, before, after):
    """The order stays, and a query that is not in the log loses its weight."""
    path = write(before, name)
    target = path.with_name(f"new-{name}")
    write_weights(path, WEIGHTS, target)
    assert {query.query_id: query.weight for query in read_queries(target)} == {
        "q1": 12, "q2": None, "q3": 0.5
    }  # fmt: skip
    assert path.read_text(encoding="utf-8") == before
    if after is not None:
        assert target.read_text(encoding="utf-8") == after
    else:
        text = target.read_text(encoding="utf-8")
        assert text.startswith('{\n  "queries": [\n    {\n      "id": "q1"')
        assert "ü" in text
        assert json.loads(text)["queries"][0]["more"] == 1


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "q.jsonl",
            '{"id": "q1", "text": "a", "stratum": "old", "more": 1}\n'
            '{"id": "q2", "text": "b", "stratum": "old"}\n',
            '{"id": "q1", "text": "a", "stratum": "howto", "more": 1, "weight": 0.5}\n'
            '{"id": "q2", "text": "b"}\n',
        ),
        (
            "q.csv",
            "id,stratum,text\nq1,old,a\nq2,old,b\n",
            "id,stratum,text,weight\nq1,howto,a,0.5\nq2,,b,\n",
        ),
        ("q.tsv", "id\ttext\nq1\ta\n", "id\ttext\tweight\tstratum\nq1\ta\t0.5\thowto\n"),
    ],
)
def test_strata_are_written_with_weights(write, name, before, after):
    """Writing only weights leaves strata unchanged."""
    path = write(before, name)
    write_weights(path, {"q1": 0.5}, path.with_name("new"), strata={"q1": "howto"})
    assert path.with_name("new").read_text() == after
    write_weights(path, {"q1": 0.5})
    assert [query.stratum for query in read_queries(path)] == (
        ["old", "old"] if "old" in before else [None]
    )


KINDS = [Query("q1", "", "howto"), Query("q2", "", "howto"), Query("q3", "", "errors"),
         Query("q4", "", "howto"), Query("q5", "", "howto")]  # fmt: skip


@pytest.mark.parametrize("scale", [1, 100])
def test_shares_are_spread_over_the_queries_of_a_kind(scale):
    """Each weight is the share over the number of queries, and the kind is the stratum."""
    shares = {"howto": 0.6 * scale, "errors": 0.4 * scale}
    found = weight_by_shares(KINDS, "category", shares)
    assert found.weights == pytest.approx(
        {"q1": 0.15, "q2": 0.15, "q3": 0.4, "q4": 0.15, "q5": 0.15}
    )
    assert found.strata == dict.fromkeys(["q1", "q2", "q4", "q5"], "howto") | {"q3": "errors"}
    assert found.shares == pytest.approx({"howto": 0.6, "errors": 0.4})
    assert found.counts == {"howto": 4, "errors": 1}
    assert found.effective == pytest.approx(1 / (4 * 0.15**2 + 0.4**2))


def test_rounded_shares_are_accepted():
    """Three times 33% is a whole; only proportions count."""
    queries = [Query(f"q{n}", "", difficulty=kind) for n, kind in enumerate("abc")]
    found = weight_by_shares(queries, "difficulty", dict.fromkeys("abc", 33))
    assert found.weights == pytest.approx(dict.fromkeys(["q0", "q1", "q2"], 1 / 3))


def test_a_category_may_be_given_by_an_alias():
    """M11: `troubleshooting` is `troubleshoot`."""
    queries = [Query("q1", "", "troubleshooting"), Query("q2", "", "howto")]
    found = weight_by_shares(queries, "category", {"troubleshooting": 0.5, "howto": 0.5})
    assert found.strata == {"q1": "troubleshoot", "q2": "howto"}


@pytest.mark.parametrize(
    ("queries", "label", "shares", "message"),
    [
        (KINDS, "tag", {"howto": 1}, "label: expected 'category' or 'difficulty', got 'tag'"),
        (KINDS, "category", {"howto": 1}, "shares: expected one for each category, got none for 'errors'"),
        (KINDS, "category", {"howto": 0.5, "errors": 0.4, "other": 0.1}, "shares: expected a category that a query has, got 'other'"),
        (KINDS, "category", {"howto": 1, "errors": 0}, "share of 'errors': expected a finite number above 0, got 0"),
        (KINDS, "category", {"howto": 1, "errors": float("nan")}, "share of 'errors': expected a finite number above 0, got nan"),
        (KINDS, "category", {"howto": 0.6, "errors": 0.3}, "shares: expected numbers that add up to 1, or to 100 as percentages, got 0.9"),
        ([*KINDS, Query("q6", "")], "category", {"howto": 0.6, "errors": 0.4}, "queries: expected a category for every query, got none for 'q6'"),
        ([*KINDS, Query("q6", ""), Query("q7", "")], "category", {"howto": 0.6, "errors": 0.4}, "queries: expected a category for every query, got none for 'q6' and 1 more"),
        ([Query("q1", "", "howto", group="g"), Query("q2", "", "errors", group="g")], "category", {"howto": 0.6, "errors": 0.4}, "group 'g': expected queries of one stratum, got 'q1' in 'howto' and 'q2' in 'errors'"),
    ],
)  # fmt: skip
def test_invalid_shares_are_an_error(queries, label, shares, message):
    """One line shows what was expected and found."""
    with pytest.raises(ArgumentError) as caught:
        weight_by_shares(queries, label, shares)
    assert str(caught.value) == message


def test_a_lone_surrogate_is_written_unchanged(write):
    """JSON escapes it."""
    path = write(rb'{"id": "q1", "text": "cut \ud83d"}' + b"\n", "q.jsonl")
    write_weights(path, WEIGHTS)
    assert path.read_bytes() == b'{"id": "q1", "text": "cut \\ud83d", "weight": 12}\n'


@pytest.mark.parametrize("content", ["1\ta\n2\tb\n", "<top>\n<num> 1\n<title> a\n</top>\n"])
def test_a_format_without_weights_is_an_error(write, content):
    """The file is not changed."""
    path = write(content, "q")
    with pytest.raises(FormatError, match="other formats cannot store weights"):
        write_weights(path, WEIGHTS)
    assert path.read_text() == content
