"""The contract of platforms' formats: everything they support can be written and read again."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments, collect_judged
from berryeval.core.origin import Origin
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError, SizeError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.facts import read_facts
from berryeval.formats.limits import limited
from berryeval.formats.platforms import PLATFORM_FORMATS, load
from berryeval.formats.reading import sniff_format
from platform_files import FILES

NAMES = [name for name in PLATFORM_FORMATS if name != "ranx-lz4"]  # whose library may be missing
OF_JUDGMENTS = [name for name in NAMES if "judgments" in load(name).HOLDS.writes]
OF_RUNS = [name for name in NAMES if "run" in load(name).HOLDS.writes]

words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=6)
texts = st.lists(words, min_size=1, max_size=3).map(" ".join)
in_temporary_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20
)


def by_query(values):
    documents = st.dictionaries(words, values, min_size=1, max_size=4)
    return st.dictionaries(texts, documents, min_size=1, max_size=4)


@pytest.mark.parametrize("name", OF_JUDGMENTS)
@in_temporary_folder
@given(data=by_query(st.integers(0, 4)))
def test_written_judgments_can_be_read_again(name, data, tmp_path):
    """Every format supports texts as queries, and whole grades from 0."""
    judgments = Judgments.from_dict(data)
    path = tmp_path / "file"
    write_judgments(judgments, path, format=name)
    assert read_judgments(path, format=name).to_dict() == judgments.to_dict()


@pytest.mark.parametrize("name", OF_JUDGMENTS)
def test_a_format_holds_what_it_declares(name, tmp_path):
    """This covers judges, notes, fractional grades, and queries without documents."""
    holds = load(name).HOLDS
    rows = [
        JudgedRow(1, b"tv", b"d1", 2, b"ada", note=b"yes"),
        JudgedRow(2, b"tv", b"d1", 1, b"bo"),
    ]
    write_judgments(collect_judged(rows, Origin("file")), tmp_path / "a", format=name)
    opinions = read_judgments(tmp_path / "a", format=name).opinions.get(b"tv", {}).get(b"d1", [])
    assert [one.judge for one in opinions] == [b"ada", b"bo"] * holds.judges
    assert any(one.note == b"yes" for one in opinions) == holds.notes
    broken = Judgments.from_dict({"tv": {"d1": 0.5}, "empty": {}})
    if holds.fractions:
        write_judgments(broken, tmp_path / "a", format=name)
        assert read_judgments(tmp_path / "a", format=name).to_dict() == {"tv": {"d1": 0.5}}
        assert ("empty" in (tmp_path / "a").read_text()) == holds.empty_queries
    else:
        with pytest.raises(InputError, match="whole grades only"):
            write_judgments(broken, tmp_path / "a", format=name)


@pytest.mark.parametrize("name", OF_RUNS)
@in_temporary_folder
@given(data=by_query(st.floats(-1e6, 1e6)))
def test_the_ranking_of_a_written_run_can_be_read_again(name, data, tmp_path):
    """If the format supports scores, every digit survives; the order always does."""
    run = Run.from_dict(data)
    write_run(run, tmp_path / "file", format=name)
    found = read_run(tmp_path / "file", format=name)
    assert {query: found.ranking(query) for query in data} == {
        query: run.ranking(query) for query in data
    }
    if load(name).HOLDS.scores:
        assert found.to_dict() == run.to_dict()


@pytest.mark.parametrize("name", OF_JUDGMENTS)
def test_written_judgments_are_detected(name, tmp_path):
    """The detected format is the written one; RRE's older form is read as the newer."""
    path = tmp_path / "file"
    write_judgments(Judgments.from_dict({"led tv": {"d1": 2, "d2": 0}}), path, format=name)
    assert sniff_format(path) == name.removesuffix("-gains")


@pytest.mark.parametrize("name", OF_RUNS)
def test_written_runs_are_detected(name, tmp_path):
    """The detected format is the written one."""
    write_run(Run.from_dict({"q1": {"d1": 0.5}}), tmp_path / "file", format=name)
    assert sniff_format(tmp_path / "file") == name


def readers(name):
    """Return functions that read the format as judgments or a run."""
    reads = load(name).HOLDS.reads
    by_kind = {"judgments": read_judgments, "run": read_run}
    return [read for kind, read in by_kind.items() if kind in reads]


@pytest.mark.parametrize("name", [name for name in FILES if readers(name)])
def test_rows_are_limited_although_they_may_stand_on_one_line(save, name):
    """The limit is on rows, not on lines."""
    path = save(FILES[name])
    for read in readers(name)[-1 if name == "quepid-snapshot-csv" else 0 :]:  # it has no ratings
        data = read(path)
        n_rows = data.n_rows
        if isinstance(data, Judgments):
            n_rows = len([*data.iter_opinions()])
        with limited(rows=max(n_rows, len(path.read_text().splitlines()))):
            assert read(path) == data
        with limited(rows=n_rows - 1), pytest.raises(SizeError, match="expected at most"):
            read(path)


@pytest.mark.parametrize("name", [name for name in FILES if readers(name)])
def test_facts_are_found_in_every_file(save, name):
    """`berryeval inspect` detects the format, and counts what is read."""
    path = save(FILES[name])
    facts = read_facts(path)
    read = read_run if facts.kind == "run" else read_judgments
    assert facts.format == name
    assert facts.queries == len(read(path))


def outcome(read, path, name):
    """Return the number of rows, or what kind of error there was."""
    try:
        return read(path, format=name).n_rows
    except FormatError as error:
        return f"an error in {'several lines' if chr(10) in str(error) else 'one line'}"


BROKEN = [
    *("{}", "[]", "null", "1", '"a"', "{", '{"a": NaN}', "\ufeff{}", "\0"),
    '{"queries": 1, "requests": [], "docs": {}, "details": {}, "topics": [{}]}',
    '{"queries": [1], "requests": [{"id": "a", "ratings": [{}]}], "hits": 1, "responses": [0]}',
    '{"queries": [{}], "snapshots": [], "judgmentRatings": [{}], "hits": {}}',
    '{"hits": {"hits": [{"_source": 1}, {"_id": 2.5}]}, "docs": {"": [1]}}',
    '{"query_doc_pairs": [{"query_text": "\\ud800", "doc_id": true}]}',
    '{"details": {"q": {"metric_score": "x", "hits": [{"hit": []}]}}}',
    '{"a": 1, "a": 2}',
    '{"a":' * 100_000,
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a_document_of_another_shape_is_an_error_in_one_line(save, name, content):
    """Whatever is missing or of another type, the only exception is a FormatError."""
    path = save(content)
    for read in readers(name):
        assert outcome(read, path, name) in (0, "an error in one line")


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                sorted(set(" ".join(json.dumps(FILES, default=str).split('\\"')).split('"')))[:200]
            )
            | st.text(max_size=2),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@in_temporary_folder
@given(document=documents, name=st.sampled_from(NAMES))
def test_any_document_is_data_or_a_format_error(document, name, tmp_path):
    """Keys are those of real files, in any order and depth."""
    path = tmp_path / "file"
    path.write_text(json.dumps(document))
    for read in readers(name):
        assert outcome(read, path, name) != "an error in several lines"
