"""How much queries count, by how often people ask them."""

import json

import pytest

from berryeval.core import Query
from berryeval.errors import FormatError
from berryeval.formats.queries import iter_log, read_queries, write_weights
from berryeval.golden.weights import weigh_by_traffic

A_COUNT = "expected a count, a finite number of at least 0, found"
LOG = [("reset password", 12.0), ("delete account", 3.0)]


@pytest.fixture
def write(tmp_path):
    """Write a file, and return its path."""

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
    """A query and its count; other columns are ignored."""
    assert list(iter_log(write(content))) == LOG


@pytest.mark.parametrize(
    "content",
    ["a b\n\n c, d \n", '{"query": "a b"}\n{"text": "c, d"}\n', 'query\na b\n"c, d"\n'],
    ids=["plain", "jsonl", "one column"],
)
def test_without_a_count_each_line_is_one_search(write, content):
    """Plain text is a query per line."""
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
    """What was expected, and what came."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        list(iter_log(path))
    assert str(caught.value) == f"{path}{message}"


def test_searches_are_counted_by_text():
    """Case, white space and Unicode form do not matter; what is not in the set is counted apart."""
    queries = [Query("q1", "Reset  the ﬁle"), Query("q2", "ÜBER"), Query("q3", "never")]
    log = [("reset the file", 2), (" RESET THE FILE", 3), ("u\u0308ber", 1), ("other", 4)]
    found = weigh_by_traffic(queries, log)
    assert found.weights == {"q1": 5, "q2": 1}
    assert found.unasked == ("q3",)
    assert (found.matched, found.unmatched, found.share) == (6, 4, 0.6)


def test_queries_of_the_same_text_share_its_searches():
    """Their weights add up to the traffic."""
    queries = [Query("q1", "a"), Query("q2", "A")]
    assert weigh_by_traffic(queries, [("a", 3)]).weights == {"q1": 1.5, "q2": 1.5}


@pytest.mark.parametrize(
    ("counts", "effective"),
    [([], 0), ([7], 1), ([2, 2, 2], 3), ([3, 1], 16 / 10), ([1e200, 1e200], 2)],
)
def test_the_effective_number_of_queries_is_that_of_kish(counts, effective):
    """(sum w)^2 / sum w^2: equal weights count each query as one."""
    queries = [Query(str(n), f"text {n}") for n in range(len(counts))]
    log = [(f"text {n}", count) for n, count in enumerate(counts)]
    assert weigh_by_traffic(queries, log).effective == pytest.approx(effective)


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
def test_weights_are_written_and_all_else_is_kept(write, name, before, after):
    """Other fields and the order stay; a query that is not weighed has no weight any more."""
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


def test_half_a_character_is_written_as_it_was(write):
    """JSON holds it escaped."""
    path = write(rb'{"id": "q1", "text": "cut \ud83d"}' + b"\n", "q.jsonl")
    write_weights(path, WEIGHTS)
    assert path.read_bytes() == b'{"id": "q1", "text": "cut \\ud83d", "weight": 12}\n'


@pytest.mark.parametrize("content", ["1\ta\n2\tb\n", "<top>\n<num> 1\n<title> a\n</top>\n"])
def test_a_file_without_a_place_for_weights_is_an_error(write, content):
    """And it stays as it was."""
    path = write(content, "q")
    with pytest.raises(FormatError, match="others have no place for weights"):
        write_weights(path, WEIGHTS)
    assert path.read_text() == content
