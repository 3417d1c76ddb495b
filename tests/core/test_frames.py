"""Data frames of several libraries, by each of the readers."""

import decimal
import struct
from itertools import pairwise

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core import arrow_stream, arrow_table
from berryeval.core.frames import is_frame
from berryeval.core.id_column import decode_id

ROWS = {
    "query_id": ["q1", "q1", "q2", "q1"],
    "doc_id": ["d1", "a longer document id", "d1", "d2"],
    "score": [1.5, -2.0, float("inf"), 0.25],
}
RUN = be.Run.from_dict(
    {"q1": {"d1": 1.5, "a longer document id": -2.0, "d2": 0.25}, "q2": {"d1": float("inf")}}
)


class Python:
    """A backend without the extension."""

    name = "python"


@pytest.fixture(params=["native", "pyarrow"])
def road(request, monkeypatch):
    """Read streams with the extension if available, and with pyarrow."""
    if request.param == "pyarrow":
        monkeypatch.setattr(arrow_stream, "backend", lambda: Python)
    return request.param


def by_both_roads(frame, kind=be.Run, **options):
    """Return the results of the native reader and of pyarrow: data or a message."""
    found = []
    for without_native in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if without_native:
                patch.setattr(arrow_stream, "backend", lambda: Python)
            try:
                found.append(kind.from_frame(frame, **options))
            except be.InputError as error:
                found.append(str(error))
    return found


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_run_is_read_from_frames_of_three_libraries(road, make):
    """Rows of a query need not be adjacent."""
    assert be.Run.from_frame(make(ROWS)) == RUN, road


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_judgments_are_read_by_their_usual_names(road, make):
    """Grades and ids may be whole numbers, and other columns are ignored."""
    frame = make({"by": ["x", "y"], "QID": [1, -2], "docno": [10, 2**40], "rel": [3, 0]})
    expected = {"1": {"10": 3.0}, "-2": {str(2**40): 0.0}}
    assert be.Judgments.from_frame(frame).to_dict() == expected, road


TEXT_TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
]


def as_type(texts, type_):
    """Return a column of the type, if this version of pyarrow can cast to it."""
    if pa.types.is_dictionary(type_):
        values = sorted(set(texts))
        indices = pa.array([values.index(text) for text in texts], type_.index_type)
        return pa.DictionaryArray.from_arrays(indices, pa.array(values, type_.value_type))
    is_text = "string" in str(type_)
    return pa.array(texts if is_text else [text.encode() for text in texts], type_)


@pytest.mark.parametrize("id_type", TEXT_TYPES, ids=str)
def test_ids_may_be_any_kind_of_text(road, id_type):
    """Text, bytes, views and categories are read, short ones and long ones."""
    columns = {name: as_type(ROWS[name], id_type) for name in ("query_id", "doc_id")}
    table = pa.table(columns | {"score": ROWS["score"]})
    assert be.Run.from_frame(table) == RUN, road


@pytest.mark.parametrize("id_type", TEXT_TYPES, ids=str)
def test_ids_may_be_of_any_length(id_type):
    """Short ones are inlined in views, and comparison uses words of eight bytes."""
    texts = ["x" * (n - 1) + last for n in range(1, 40) for last in "yz"]
    table = pa.table(
        {
            "qid": as_type(texts, id_type),
            "doc": as_type(texts[::-1], id_type),
            "score": [float(n) for n in range(len(texts))],
        }
    )
    rows = zip(texts, texts[::-1], range(len(texts)), strict=True)
    expected = be.Run.from_dict({query: {doc: float(n)} for query, doc, n in rows})
    assert by_both_roads(table) == [expected, expected]


STRUCT = pa.StructArray.from_arrays(
    [pa.array(["x", "q", "q"]), pa.array(["y", "a", "b"]), pa.array([9.0, 1.0, 2.0])],
    names=["qid", "doc", "score"],
)


def test_a_struct_array_is_a_stream():
    """The native reader supports offsets; pyarrow reports that it does not."""
    native, specified = by_both_roads(pa.chunked_array([STRUCT.slice(1)]))
    if isinstance(native, be.Run):
        assert native.to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    assert specified.startswith("frame: expected columns that can be read, got ")


def test_a_null_row_is_an_error():
    """The values of its columns do not matter."""
    fields = [STRUCT.field(n) for n in range(3)]
    mask = pa.array([False, False, True])
    rows = pa.StructArray.from_arrays(fields, names=["qid", "doc", "score"], mask=mask)
    native, specified = by_both_roads(pa.chunked_array([rows]))
    assert native in {"frame: expected a value in column 'qid', got none in row 3", specified}
    assert specified.startswith("frame: expected columns that can be read, got ")


WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("type_", WHOLE)
def test_whole_numbers_of_every_width_are_ids_and_scores(type_):
    """Every width is tested from its lowest to its highest value."""
    bits = int(type_.lstrip("uint"))
    low, high = (0, 2**bits - 1) if type_[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    values = pa.array([low, 7, high], type_)
    table = pa.table({"query_id": values, "doc_id": values.dictionary_encode(), "score": values})
    expected = be.Run.from_dict({str(n): {str(n): float(n)} for n in (low, 7, high)})
    assert by_both_roads(table) == [expected, expected]


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("float32", [0.1, -1e30, float("inf")]),
        ("float64", [0.1, 5e-324, float("-inf")]),
        ("bool", [True, False, True]),
        ("uint64", [2**64 - 1, 2**53 + 1, 0]),
    ],
)
def test_scores_of_other_types_are_exact(type_, values):
    """Values are converted without loss."""
    table = pa.table({"qid": ["q"] * 3, "doc": ["a", "b", "c"], "score": pa.array(values, type_)})
    expected = be.Run.from_dict(
        {"q": {d: float(v) for d, v in zip("abc", table["score"].to_pylist(), strict=True)}}
    )
    assert by_both_roads(table) == [expected, expected]


def test_half_floats_are_exact():
    """Zeros, the smallest, subnormal, normal and infinite values are tested."""
    bits = [0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x3555, 0xC000, 0x7BFF, 0x7C00]
    values = [struct.unpack("<e", struct.pack("<H", word))[0] for word in bits]
    halves = pa.Array.from_buffers(
        pa.float16(), len(bits), [None, pa.py_buffer(struct.pack(f"<{len(bits)}H", *bits))]
    )
    table = pa.table({"qid": ["q"] * len(bits), "doc": list("abcdefghij"), "score": halves})
    expected = be.Run.from_dict({"q": dict(zip("abcdefghij", values, strict=True))})
    assert by_both_roads(table) == [expected, expected]


def test_decimals_are_read_by_pyarrow():
    """The extension leaves unknown types to it."""
    scores = pa.array([decimal.Decimal("1.25"), decimal.Decimal("-3.50")])
    table = pa.table({"qid": ["q", "q"], "doc": ["a", "b"], "score": scores})
    expected = be.Run.from_dict({"q": {"a": 1.25, "b": -3.5}})
    assert by_both_roads(table) == [expected, expected]


ids = st.sampled_from([None, "", "q", "r", "id-of-13-char", "a quite long id of a document"])
numbers = st.sampled_from([None, 0.0, 1.0, 2.5, float("nan"), float("inf"), 1e300])
tables = st.lists(st.tuples(ids, ids, numbers), max_size=12)
good_ids = st.text(min_size=1, max_size=20) | st.binary(min_size=1, max_size=5).map(decode_id)


def batches_of(rows, seams, text_type):
    """Return rows in several batches, each a slice of a larger one."""
    schema = pa.schema([("query_id", text_type), ("doc_id", text_type), ("score", pa.float64())])
    bounds = sorted({0, len(rows), *(seam for seam in seams if seam <= len(rows))})
    found = []
    for begin, end in pairwise(bounds):
        part = [("x", "y", None), *rows[begin:end], (None, "z", 0.0)]
        columns = [
            pa.array(c, f.type) for c, f in zip(zip(*part, strict=True), schema, strict=True)
        ]
        batch = pa.RecordBatch.from_arrays(columns, schema=schema)
        found.append(batch.slice(1, end - begin))
    return pa.Table.from_batches(found, schema)


@given(
    rows=tables,
    seams=st.lists(st.integers(0, 12), max_size=3),
    text_type=st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
    kind=st.sampled_from([be.Run, be.Judgments]),
    duplicates=st.sampled_from(["error", "keep-best"]),
)
def test_both_readers_agree(rows, seams, text_type, kind, duplicates):
    """They return the same data, or raise the same first error."""
    table = batches_of(rows, seams, text_type)
    native, specified = by_both_roads(table, kind, duplicates=duplicates)
    assert native == specified


@given(st.dictionaries(good_ids, st.dictionaries(good_ids, st.floats(allow_nan=False), min_size=1)))
def test_a_run_survives_conversion_to_a_table(data):
    """Every id and every digit survive, including invalid UTF-8."""
    run = be.Run.from_dict(data)
    assert by_both_roads(run.to_arrow()) == [run, run]


@given(st.dictionaries(good_ids, st.dictionaries(good_ids, st.integers(-2, 4), min_size=1)))
def test_judgments_survive_conversion_to_a_table(data):
    """Whole grades are integers in the table."""
    judgments = be.Judgments.from_dict(data)
    table = judgments.to_arrow()
    assert table.schema.field("relevance").type == pa.int64()
    assert be.Judgments.from_frame(table) == judgments


def test_tables_larger_than_a_read_block_are_read():
    """Batches have several chunks, and buffers grow."""
    n = 10_000
    table = pa.table(
        {
            "qid": [f"q{i // 5000}" for i in range(n)],
            "doc": [f"document-{i * 7919 % n}" for i in range(n)],
            "score": [float(i) for i in range(n)],
        }
    )
    native, specified = by_both_roads(table)
    assert native == specified
    assert native.n_rows == n
    again = pa.concat_tables([table, table.slice(4321, 1)])
    doc_id = f"document-{4321 * 7919 % n}"
    message = (
        "frame: expected each document once for a query, got "
        f"'{doc_id}' a second time for 'q0' in row 10001"
    )
    assert by_both_roads(again) == [message, message]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"doc_id": ["d"], "score": [1]}, "expected a column 'query_id', got 'doc_id', 'score'"),
        ({}, "expected a column 'query_id', got none"),
        (
            {"qid": [1.5], "doc": ["d"], "score": [1]},
            "expected ids (text or whole numbers) in column 'qid', got double",
        ),
        (
            {"qid": ["q"], "doc": [True], "score": [1]},
            "expected ids (text or whole numbers) in column 'doc', got bool",
        ),
        (
            {"qid": ["q"], "doc": ["d"], "score": pa.array([1]).dictionary_encode()},
            "expected numbers in column 'score', got dictionary<values=int64, indices=int32, "
            "ordered=0>",
        ),
        (
            {"qid": ["q"], "doc": ["d"], "score": [[1]]},
            "expected numbers in column 'score', got list<item: int64>",
        ),
        (
            {"qid": pa.array(["q"]), "doc": pa.array([None]), "score": [1]},
            "expected a value in column 'doc', got none in row 1",
        ),
        (
            {"qid": pa.array(["q", None]).dictionary_encode(), "doc": ["a", "b"], "score": [1, 2]},
            "expected a value in column 'qid', got none in row 2",
        ),
        (
            {"qid": ["q", "r"], "doc": ["a", "b"], "score": pa.array([1, None])},
            "expected a value in column 'score', got none in row 2",
        ),
    ],
)
def test_an_invalid_column_is_reported(columns, message):
    """The message has what was expected, what was found, and the row."""
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    assert by_both_roads(table) == [f"frame: {message}"] * 2


def test_a_null_in_a_dictionary_is_a_null(road):
    """The value is null, not the index."""
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["q", None]))
    table = pa.table({"qid": column, "doc": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(be.ArgumentError, match="a value in column 'qid', got none in row 2"):
        be.Run.from_frame(table)
    assert be.Run.from_frame(table.slice(0, 1)).to_dict() == {"q": {"a": 1.0}}, road


def test_a_frame_without_rows_is_an_empty_run(road):
    """Its columns may have the null type."""
    nothing = pa.table({name: pa.array([], pa.null()) for name in ("qid", "doc", "score")})
    assert len(be.Run.from_frame(nothing)) == 0, road
    assert len(be.Run.from_frame(pd.DataFrame(columns=["qid", "doc", "score"]))) == 0


def test_a_stream_is_read_once(road):
    """It may be a reader of batches of unknown number."""
    reader = pa.RecordBatchReader.from_batches(pa.table(ROWS).schema, pa.table(ROWS).to_batches())
    assert be.Run.from_frame(reader) == RUN, road


def test_a_failing_stream_is_an_error(road):
    """The message is one line."""

    def batches():
        yield from pa.table(ROWS).to_batches()
        raise OSError("the disk is gone\nfor good")

    reader = pa.RecordBatchReader.from_batches(pa.table(ROWS).schema, batches())
    with pytest.raises(be.ArgumentError, match="the disk is gone") as caught:
        be.Run.from_frame(reader)
    assert "\n" not in str(caught.value), road


class Columns:
    """A frame of a library without Arrow, such as older versions of pandas."""

    def __init__(self, **columns):
        self.frame = pd.DataFrame(columns, dtype=object)
        self.columns = self.frame.columns

    def __getitem__(self, name):
        return self.frame[name]


def test_a_frame_without_arrow_is_read_by_its_columns():
    """Ids may be text, bytes or whole numbers."""
    frame = Columns(qid=["q", b"q", 7], doc=["d", "e", "f"], score=[1, 2.5, True])
    assert be.Run.from_frame(frame).to_dict() == {"q": {"d": 1.0, "e": 2.5}, "7": {"f": 1.0}}
    judged = Columns(qid=["q", "q"], doc=["d", "d"], rel=[1, 2], judge=["a", 7])
    assert be.Judgments.from_frame(judged, judges="max").to_dict() == {"q": {"d": 2.0}}
    labelled = Columns(qid=["q", "q"], doc=["d", "d"], rel=[1, 2], subtopic=[None, "s"])
    assert be.Judgments.from_frame(labelled).subtopics == {b"q": {b"d": {b"s": 2.0}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"qid": [None]}, "expected a value in column 'qid', got none in row 1"),
        ({"qid": [pd.NA]}, "expected a value in column 'qid', got none in row 1"),
        ({"doc": [float("nan")]}, "expected a value in column 'doc', got none in row 1"),
        (
            {"doc": [1.5]},
            "expected ids (text or whole numbers) in column 'doc', got float in row 1",
        ),
        ({"doc": [""]}, "expected an id, got '' in row 1"),
        ({"score": ["1"]}, "expected a number as score, got '1' in row 1"),
        ({"score": [[]]}, "expected a number as score, got [] in row 1"),
    ],
)
def test_columns_are_checked_like_streams(changes, message):
    """The messages are the same."""
    frame = Columns(**({"qid": ["q"], "doc": ["d"], "score": [1.0]} | changes))
    with pytest.raises(be.ArgumentError) as caught:
        be.Run.from_frame(frame)
    assert str(caught.value) == f"frame: {message}"


def test_mixed_types_in_pandas_are_reported_with_the_row():
    """pandas cannot export them, so its columns are read."""
    frame = pd.DataFrame({"qid": ["q", "q"], "doc": ["d", 1.5], "score": [1.0, 2.0]}, dtype=object)
    with pytest.raises(be.ArgumentError, match="in column 'doc', got float in row 2"):
        be.Run.from_frame(frame)


class Broken:
    """A stream that cannot be created."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise ValueError("no schema")


def test_a_stream_that_cannot_be_created_is_an_error():
    """The message contains the reason."""
    with pytest.raises(be.ArgumentError, match=r"can be read, got ValueError\('no schema'\)"):
        be.Run.from_frame(Broken())


def test_a_repeated_column_is_an_error():
    """It would be ambiguous."""
    table = pa.table([["q"], ["d"], [1.0], [2.0]], names=["qid", "doc", "score", "score"])
    message = "frame: expected one column 'score', got 2 of them"
    assert by_both_roads(table) == [message, message]
    with pytest.raises(be.ArgumentError, match=message):
        be.Run.from_frame(table.to_pandas())


def test_without_pyarrow_pandas_is_read_by_its_columns(monkeypatch):
    """Its stream requires pyarrow."""

    def refuse(*_):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", refuse, raising=False)
    assert be.Run.from_frame(pd.DataFrame(ROWS)) == RUN
    twice = pd.DataFrame({"qid": ["q", "q"], "doc": ["d", "d"], "score": [1, 2]})
    assert be.Run.from_frame(twice, duplicates="keep-best").to_dict() == {"q": {"d": 2.0}}


def test_an_object_without_columns_is_not_a_frame():
    """A mapping is not one, and neither is a number."""
    assert not is_frame({"query_id": []})
    with pytest.raises(be.InputTypeError, match="frame: expected a data frame, got int"):
        be.Run.from_frame(3)
    with pytest.raises(be.ArgumentError, match="judges: expected 'first' or 'latest' or 'max'"):
        be.Judgments.from_frame(pa.table(ROWS), judges="loudest")


@pytest.fixture
def no_pyarrow(monkeypatch):
    """Remove both the extension and pyarrow."""
    monkeypatch.setattr(arrow_stream, "backend", lambda: Python)

    def import_module(name):
        raise ImportError(name)

    monkeypatch.setattr(arrow_table, "import_module", import_module)


@pytest.mark.usefixtures("no_pyarrow")
def test_without_pyarrow_and_extension_columns_are_read():
    """polars alone is enough to read its frames."""
    assert be.Run.from_frame(pl.DataFrame(ROWS)) == RUN


@pytest.mark.usefixtures("no_pyarrow")
def test_a_missing_pyarrow_is_reported():
    """The message names the extra."""
    reader = pa.RecordBatchReader.from_batches(pa.table(ROWS).schema, pa.table(ROWS).to_batches())
    with pytest.raises(be.MissingExtraError, match=r"pip install 'berryeval\[frames\]'"):
        be.Run.from_frame(reader)
    with pytest.raises(be.MissingExtraError, match="Making an Arrow table requires"):
        RUN.to_arrow()


def test_runs_convert_to_frames():
    """Every library converts them through Arrow."""
    assert pa.table(RUN).to_pydict() == {
        "query_id": ["q1", "q1", "q1", "q2"],
        "doc_id": ["d1", "a longer document id", "d2", "d1"],
        "score": [1.5, -2.0, 0.25, float("inf")],
    }
    assert pl.DataFrame(RUN).columns == ["query_id", "doc_id", "score"]
    assert RUN.to_arrow().to_pandas()["score"].tolist() == [1.5, -2.0, 0.25, float("inf")]


def test_fractional_grades_stay_floats():
    """All grades are then floats."""
    judgments = be.Judgments.from_dict({"q": {"a": 1, "b": 0.5}})
    assert judgments.to_arrow()["relevance"].to_pylist() == [1.0, 0.5]


def test_large_whole_grades_stay_floats():
    """Beyond 2^53 not every integer is exact."""
    judgments = be.Judgments.from_dict({"q": {"a": 1e20, "b": 2.0**53}})
    assert judgments.to_arrow()["relevance"].to_pylist() == [1e20, 2.0**53]
    assert be.Judgments.from_frame(judgments) == judgments


def test_evaluate_takes_frames():
    """Judgments and run may come from different libraries."""
    judgments = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d2", "d1"], "grade": [1, 2]})
    result = be.evaluate(judgments, pd.DataFrame(ROWS), ["RR"])
    assert result["RR"].by_query == {"q1": 0.5, "q2": 1.0}
    with pytest.raises(be.InputTypeError, match="judgments: expected a mapping, got Run"):
        be.evaluate(RUN, RUN, ["RR"])
    with pytest.raises(be.ArgumentError, match=r"^run: expected a column 'score'"):
        be.evaluate(judgments, judgments, ["RR"])
    with pytest.raises(be.ArgumentError, match=r"^judgments: expected a column 'query_id'"):
        be.evaluate(pa.table({"a": [1]}), RUN, ["RR"])
