"""Reading and writing queries in every format."""
# ruff: noqa: E501 - one case per line

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.query import find_split_group
from berryeval.formats import QUERY_FORMATS, read_queries, write_queries

TOPICS = b"""\

<top>
<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations
that participate.

<narr> Narrative:
A relevant document names <b>one</b>.
</top>
<top>
<num> Number: 302 <title> Poliomyelitis
</top>
"""
CLOSED = b"""\
<top><num>301</num><title>Topic: International Organized Crime</title>
<desc>Identify organizations that participate.</desc></top>
<num> 302
<title>Poliomyelitis
"""
EXPECTED = [
    be.Query("301", "International Organized Crime", description="Identify organizations that participate."),
    be.Query("302", "Poliomyelitis"),
]  # fmt: skip
LABELLED = be.Query("Q1", 'a, "b"', "procedural", "easy", "what", ("x", "y"))
WEIGHTED = [be.Query("Q1", "a", weight=2.5, group="g", stratum="s"), be.Query("Q2", "b", weight=3)]


OPEN = b"".join(line for line in TOPICS.splitlines(keepends=True) if b"top>" not in line)


@pytest.mark.parametrize("content", [TOPICS, CLOSED, OPEN, TOPICS.replace(b"\n", b"\r\n")])
def test_topics_are_read(write, content):
    """Tags may be closed or not, texts may span lines, and field labels are optional."""
    assert read_queries(write(content)) == EXPECTED


@pytest.mark.parametrize(
    "content",
    [
        b'{"queries": [{"id": "Q1", "query": "a, \\"b\\"", "category": "procedural", "difficulty": "easy", "description": "what", "tags": ["x", "y"], "more": 1}]}',
        b'[{"id": "Q1", "query": "a, \\"b\\"", "category": "procedural",\n"difficulty": "easy", "description": "what", "tags": ["x", "y"]}]',
        b'\n{"_id": "Q1", "text": "a, \\"b\\"", "category": "procedural", "difficulty": "easy", "description": "what", "tags": ["x", "y"]}\n',
        b'query_id,text,category,difficulty,description,tags\nQ1,"a, ""b""",procedural,easy,what,x;y\n',
        b'Tags\tDescription\tdifficulty\tcategory\tquery\tID\nx;y\twhat\teasy\tprocedural\t"a, ""b"""\tQ1\n',
    ],
    ids=["json", "json list", "jsonl", "csv", "tsv"],
)
def test_labels_are_read_from_every_format(write, content):
    """X2: the file name does not matter."""
    assert read_queries(write(content)) == [LABELLED]


@pytest.mark.parametrize(
    "content",
    [
        b'[{"id": "Q1", "query": "a", "weight": 2.5, "group": "g", "stratum": "s"}, {"id": "Q2", "query": "b", "weight": 3, "group": null, "stratum": null}]',
        b'{"id": "Q1", "text": "a", "weight": 2.5, "group": "g", "stratum": "s"}\n{"id": "Q2", "text": "b", "weight": 3}\n',
        b"id,text,weight,group,stratum\nQ1,a,2.5,g,s\nQ2,b,3,,\n",
        b"id\ttext\tgroup\tstratum\tweight\nQ1\ta\tg\ts\t2.5\nQ2\tb\t\t\t3\n",
    ],
    ids=["json", "jsonl", "csv", "tsv"],
)
def test_weights_groups_and_strata_are_read_from_every_format(write, content):
    """This includes golden sets, which reject unknown keys."""
    assert read_queries(write(content), strict=True) == WEIGHTED


def test_a_group_or_a_stratum_may_be_a_number(write):
    """Numbers become text, as for ids."""
    (query,) = read_queries(write(b'[{"id": "a", "query": "b", "group": 7, "stratum": 2}]'))
    assert (query.group, query.stratum) == ("7", "2")


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), 10**400, True, "2"])
def test_a_weight_is_a_finite_number_above_0(weight):
    """Invalid weights are rejected in every reader and in Python."""
    with pytest.raises(
        (be.ArgumentError, be.InputTypeError), match="weight: expected a finite number above 0"
    ):
        be.Query("q", "x", weight=weight)


@pytest.mark.parametrize("label", ["group", "stratum"])
def test_a_group_or_a_stratum_must_not_be_empty(label):
    """Queries without one have None."""
    with pytest.raises(be.ArgumentError, match=f"{label}: expected a name, got an empty text"):
        be.Query("q", "x", **{label: ""})


def test_whole_weights_are_written_without_a_decimal_point(tmp_path):
    """A table has these columns only if a query has a weight, a group or a stratum."""
    write_queries(WEIGHTED, tmp_path / "q.csv")
    assert (tmp_path / "q.csv").read_bytes().splitlines()[0].endswith(b",tags,weight,group,stratum")
    assert (tmp_path / "q.csv").read_bytes().splitlines()[2].endswith(b",,3,,")
    write_queries([be.Query("q", "x", weight=1)], tmp_path / "q.csv")
    assert (tmp_path / "q.csv").read_bytes().splitlines()[0].endswith(b",tags,weight")


@pytest.mark.parametrize("wrap", ["[%s]", "%s"])
def test_a_lone_surrogate_is_replaced(write, wrap):
    """A text that was cut within an emoji can be shown."""
    record = rb'{"id": "q1", "text": "cut \ud83d", "category": "\udfff", "tags": ["\ud800"]}'
    (query,) = read_queries(write(wrap.encode() % record))
    assert (query.text, query.category, query.tags) == ("cut \ufffd", "\ufffd", ("\ufffd",))


def test_two_columns_without_a_header_are_read(write):
    """As in MS MARCO, quotes and further tabs are part of the text."""
    path = write(b'1\twhat is "x\r\n\n2\ta\tb\n3\t\n')
    assert read_queries(path, format="table") == [
        be.Query("1", 'what is "x'),
        be.Query("2", "a\tb"),
        be.Query("3", ""),
    ]
    assert read_queries(path)[0].text == 'what is "x'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": expected queries, found nothing"),
        (b"what is this\n", ":1: expected queries in JSON, a table or TREC topics, found 'what is this'"),
        (b"id,frage\n1,x\n", ":1: expected queries in JSON, a table or TREC topics, found 'id,frage'; a table needs a first line with names, such as id,question"),
        (b'{"id": "a"}\n', ": expected a list of queries, alone or as 'queries' of an object, found none"),
        (b'{"queries": ["a"]}', ": expected a query as an object, found str"),
        (b'{"queries": [{"query": "a"}]}', ": expected a key 'query_id', found 'query'"),
        (b'[{"id": "a"}]', ": expected a key 'query', found 'id'"),
        (b'[{"id": "", "query": "a"}]', ": expected an id, found ''"),
        (b'[{"id": "a", "query": 1}]', ": expected text as query, found int"),
        (b'[{"id": "a", "query": "b", "category": 1}]', ": expected text as category, found int"),
        (b'[{"id": "a", "query": "b", "tags": "c"}]', ": expected a list of text as tags, found 'c'"),
        (b'[{"id": "a", "query": "b", "weight": 0}]', ": expected a finite number above 0 as weight, found 0"),
        (b'{"id": "a", "text": "b"}\n{"id": "b", "text": "b", "weight": "2"}\n', ":2: expected a finite number above 0 as weight, found '2'"),
        (b'{"id": "a", "text": "b", "weight": NaN}\n', ":1: expected a finite number above 0 as weight, found nan"),
        (b"id,text,weight\na,b,1\nc,d,-2\n", ":3: expected a finite number above 0 as weight, found -2.0"),
        (b"id,text,weight\na,b,1_000\n", ":2: expected a finite number above 0 as weight, found '1_000'"),
        (b"id,text,weight\na,b,many\n", ":2: expected a finite number above 0 as weight, found 'many'"),
        (b'[{"id": "a", "query": "b", "group": ["c"]}]', ": expected text as group, found list"),
        (b'[{"id": "a", "query": "b", "group": ""}]', ": expected a name as group, found ''"),
        (b'[{"id": "a", "query": "b", "stratum": 1.5}]', ": expected text as stratum, found float"),
        (b'[{"id": "a", "query": "b", "stratum": ""}]', ": expected a name as stratum, found ''"),
        (b"id,text,group,stratum\na,b,g,x\nc,d,,y\ne,f,g,y\n", ":4: expected the queries of group 'g' in one stratum, found 'a' in 'x' and 'e' in 'y'"),
        (b'[{"id": "a", "query": "b", "group": "g"}, {"id": "c", "query": "d", "group": "g", "stratum": "x"}]', ": expected the queries of group 'g' in one stratum, found 'a' in none and 'c' in 'x'"),
        (b"[{", ": expected JSON (Expecting property name enclosed in double quotes: line 1 column 3 (char 2))"),
        (b'{"id": "a", "text": "b"}\n{"id": "a", "text": "b"}\n', ":2: query 'a' occurs twice"),
        (b'{"id": "a", "text": "b"}\n[]\n', ":2: expected a JSON object, found list"),
        (b"query_id,text\na,b,c\n", ":2: expected 2 columns, found 3"),
        (b"1\ta\n2\n", ":2: expected an id, a tab and a text, found '2'"),
        (b"<top>\n<title> x\n</top>\n", ":1: expected a <num> in the topic, found none"),
        (b"<top>\n<num> 1\n</top>\n<top>\n<num>\n<title> x\n</top>\n", ":1: expected a <title> in the topic, found none"),
        (b"<top>\n<num> 1 <title> y\n</top>\n\n<top>\n<num>\n<title> x\n</top>\n", ":5: expected a <num> in the topic, found none"),
        (b"<top>\n<num> 1\n<title> x\n</top>\nrubbish\n", ":5: expected a tag such as <num>, found 'rubbish'"),
    ],
)  # fmt: skip
def test_an_invalid_query_is_reported(write, content, message):
    """The message has the file, the line if there is one, what was expected and found."""
    path = write(content)
    with pytest.raises(be.FormatError) as caught:
        read_queries(path)
    assert str(caught.value) == f"{path}{message}"


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
labels = st.none() | texts.filter(bool)
ids = texts.filter(lambda text: text.split() == [text])
queries = st.lists(
    st.builds(
        be.Query,
        ids,
        texts,
        labels,
        labels,
        labels,
        st.lists(texts.filter(lambda tag: tag and ";" not in tag), max_size=2).map(tuple),
        st.none() | st.floats(min_value=0, exclude_min=True, allow_infinity=False),
        labels,
        labels,
    ),
    max_size=4,
    unique_by=lambda query: query.query_id,
).filter(lambda found: find_split_group(found) is None)
in_temporary_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", ["q.json", "q.jsonl", "q.ndjson", "q.csv", "q.tsv.gz"])
@in_temporary_folder
@given(found=queries)
def test_written_queries_can_be_read_again(name, found, tmp_path):
    """Every label survives in the format of the extension, detected from the first line."""
    assume(found or name.startswith(("q.json.", "q.csv", "q.tsv")))
    write_queries(found, tmp_path / name)
    assert read_queries(tmp_path / name) == found


@in_temporary_folder
@given(found=queries)
def test_written_topics_can_be_read_again(found, tmp_path):
    """Queries that would not survive are rejected."""
    assume(found)
    plain = [be.Query(query.query_id, query.text, description=query.description) for query in found]
    try:
        write_queries(plain, tmp_path / "topics")
    except be.InputError as error:
        assert "TREC topics cannot hold" in str(error)  # noqa: PT017 - or nothing is raised
    else:
        assert read_queries(tmp_path / "topics") == plain


def test_topics_lose_a_label_only_at_the_start(tmp_path):
    """``Topic:`` and ``Description:`` are words elsewhere."""
    found = [be.Query("q", "a Topic: b", description="a Description: b")]
    write_queries(found, tmp_path / "topics")
    assert read_queries(tmp_path / "topics") == found


@pytest.mark.parametrize(
    "query",
    [
        LABELLED,
        be.Query("q", "x", weight=2),
        be.Query("q", "x", group="g"),
        be.Query("q", "x", stratum="s"),
        be.Query("q", "a  b"),
        be.Query("q", "a <title> b"),
        be.Query("q", "Topic: x"),
        be.Query("q", "x", description="Description: y"),
        be.Query("q", "x", description=""),
        be.Query("Number: 1", "x"),
        be.Query("", "x"),
    ],
)
def test_fields_that_topics_cannot_represent_are_rejected(tmp_path, query):
    """They would be lost silently."""
    with pytest.raises(be.InputError, match="TREC topics cannot hold"):
        write_queries([query], tmp_path / "topics")


@pytest.mark.parametrize("tag", ["a;b", ""])
def test_a_tag_that_a_table_cannot_represent_is_rejected(tmp_path, tag):
    """Semicolons separate tags."""
    with pytest.raises(be.InputError, match="a table cannot hold the tag"):
        write_queries([be.Query("q", "x", tags=(tag,))], tmp_path / "q.csv")


def test_json_has_the_structure_of_golden_sets(tmp_path):
    """X2: id, query and labels under 'queries'."""
    write_queries([LABELLED, be.Query("Q2", "c")], tmp_path / "q.json")
    assert json.loads((tmp_path / "q.json").read_bytes()) == {
        "queries": [
            {"id": "Q1", "query": 'a, "b"', "category": "procedural", "difficulty": "easy", "description": "what", "tags": ["x", "y"]},
            {"id": "Q2", "query": "c"},
        ]
    }  # fmt: skip


def test_formats_can_be_named(write):
    """Names come from the registry."""
    assert read_queries(write(CLOSED), format="topics") == EXPECTED
    expected = "format: expected 'topics' or 'jsonl' or 'json' or 'table'"
    with pytest.raises(be.ArgumentError, match=expected):
        read_queries(write(CLOSED), format="xml")


ODD = [
    b"\0\xff\xfe{",
    b"{",
    b"[[",
    b'"',
    b"a,b\n\x00",
    bytes(range(256)),
    b"<top>",
    b"[" * 10**5,
    b"\t",
    b"<num>\xff",
]


@pytest.mark.parametrize("name", [None, *QUERY_FORMATS])
@pytest.mark.parametrize("content", ODD)
def test_arbitrary_bytes_are_an_error_in_one_line(write, content, name):
    """The only exception is a FormatError, or no query is read."""
    try:
        found = read_queries(write(content), format=name)
    except be.FormatError as error:
        assert "\n" not in str(error)  # noqa: PT017 - or nothing is raised
    else:
        assert len(found) <= 1
