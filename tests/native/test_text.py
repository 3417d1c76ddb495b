"""TREC text read by C++ gives the columns and errors of the Python reader."""

import math
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from berryeval.backend import backend
from berryeval.core.grouped import Grouping
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats import trec
from berryeval.formats._foreign import N_FIRST, foreign_content
from berryeval.formats.rows import add_rows
from berryeval.formats.trec_native import read_columns, read_labelled_columns

if backend().name != "native":
    pytest.skip("there is no extension to compare with", allow_module_level=True)

from berryeval import _native
from depth import examples

number_texts = st.one_of(
    st.floats().map(repr),
    st.floats(width=32).map(str),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{0,4})?", fullmatch=True),
    st.from_regex(r"[+-]?(inf|nan|infinity|INF|Infinity|x|0x1p3|1_0)", fullmatch=True),
    st.text("0123456789+-.eE_xnaif", max_size=12),
)


@examples(2000)
@given(number_texts)
@example("1e")
@example("1e+")
@example(".")
@example("-.e1")
@example("9007199254740993")
@example("18446744073709551617")
@example("123456789012345678901234567890e-10")
@example("1e400")
@example("-1e-400")
@example("0." + "0" * 400 + "1e380")
@example("2.4703282292062327e-324")
@example("2.4703282292062328e-324")
@example("1e99999999999999999999")
@example("0e99999999999999999999")
def test_numbers_have_the_bits_of_float(text):
    """Numbers are correctly rounded, and rejected if float() rejects them; 1_0 and NaN are, too."""
    try:
        expected = math.nan if "_" in text else float(text)
    except ValueError:
        expected = math.nan
    found = _native.parse_number(text.encode())
    if math.isnan(expected):
        assert found is None
    else:
        assert found is not None
        assert found.hex() == expected.hex()


def read_in_line(text: bytes) -> float | None:
    """Read a score at its position in a run."""
    reader = _native.TextReader(is_run=True)
    if not (reader.feed(b"q Q0 d 1 " + text + b" t\n") and reader.finish()):
        return None
    return Run.of_native(reader.take_columns(keep_best=False)).values[0]


def float_or_none(text: bytes) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) or b"_" in text else number


@examples(2000)
@given(number_texts)
def test_scores_in_a_line_have_the_bits_of_float(text):
    """Short ones are read eight digits at a time."""
    if text:
        assert repr(read_in_line(text.encode())) == repr(float_or_none(text.encode()))


@pytest.mark.parametrize(
    "number",
    [b"7", b"12345678", b"-1.5", b"12.345678", b"12345678.1234567", b".12345678", b"123456789"],
)
def test_only_digits_are_read_as_digits(number):
    """Any byte except white space is tried at any position."""
    for place in range(len(number)):
        for byte in range(256):
            text = number[:place] + bytes([byte]) + number[place + 1 :]
            if text.split() == [text]:
                assert repr(read_in_line(text)) == repr(float_or_none(text)), text


ids = st.sampled_from([b"q1", b"q2", b"d1", b"d2", b"d3", b"\xff\x00", b"x" * 70, b"#1"])
white = st.sampled_from([b" ", b"\t", b"  ", b" \r", b"\x0b", b"\x0c", b" \t "])
scores = st.sampled_from(
    [b"1", b"2.5", b"-1e3", b"+3", b"0,5", b"1/2", b"--5", b"1.2.3", b"inf", b"nan", b"1_0", b"x"]
) | st.from_regex(rb"[ -9.+e]{1,9}", fullmatch=True).map(lambda text: text.replace(b" ", b"0"))
endings = st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n", b"\n# c\n", b"\n \t\n"])


@st.composite
def lines(draw, n_columns: int):
    """Draw a line with usually the right number of columns."""
    columns = [draw(ids), b"Q0", draw(ids), b"1", draw(scores), b"tag", b"more"]
    if n_columns == 4:
        columns = [draw(ids), b"0", draw(ids), draw(scores), b"more"]
    wanted = draw(st.sampled_from([n_columns] * 8 + [n_columns - 1, n_columns + 1, 1]))
    text = draw(st.sampled_from([b"", b"", b"", b" "]))
    for column in columns[:wanted]:
        text += column + draw(white)
    return text.rstrip(b" ") + draw(endings)


def texts(kind: str):
    good = st.lists(lines(6 if kind == "run" else 4), max_size=8).map(b"".join)
    cut = st.tuples(good, st.integers(0, 40)).map(lambda x: x[0][: max(0, len(x[0]) - x[1])])
    marked = good.map(lambda text: b"\xef\xbb\xbf" + text)
    return good | cut | marked | st.binary(max_size=200)


def pieces(text: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in pairwise(places)]


def outcome(read) -> object:
    """Return the rows that were read, or the error."""
    try:
        return read()
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize("duplicates", ["error", "keep-best"])
@examples(300)
@given(data=st.data(), cuts=st.lists(st.integers(0, 10**6), max_size=6))
def test_both_readers_agree(tmp_path_factory, kind, duplicates, data, cuts):
    """They return the same rows or the same first error, for any text and division."""
    text = data.draw(texts(kind))
    assume(not text.startswith((b"\x1f\x8b", b"\x28\xb5")))  # it would look like compressed data
    assume(foreign_content(text[:N_FIRST]) is None)  # a file is rejected before a line is read
    path = tmp_path_factory.mktemp("text") / "file"
    path.write_bytes(text)

    def specified():
        found = Grouping()
        add_rows(found, trec.iter_rows(path, kind), kind, path, duplicates)
        return Run.collect(found)

    def native():
        return Run.of_native(read_columns(pieces(text, cuts), kind, path, duplicates))

    assert outcome(native) == outcome(specified)


@pytest.mark.parametrize("width", [1, 62, 63, 64, 65, 66, 127, 128, 129, 100_000])
def test_lines_of_any_width_are_read(width):
    """The scanner processes 64 bytes at once."""
    doc_id = b"d" * width
    line = b"q Q0 %s 1 0.5 t" % doc_id
    for text in (line, line + b"\n", b"\n" + line + b"\r\n"):
        run = Run.of_native(read_columns([text], "run", "x", "error"))
        assert run.doc_ids.bytes_at(0) == doc_id
        assert list(run.values) == [0.5]


def test_line_numbers_of_duplicates_count_empty_lines():
    """Lines without a row count."""
    text = b"# c\n\nq Q0 a 1 1 t\n\n\nq Q0 b 1 1 t\nq Q0 c 1 1 t\n#\nq Q0 a 1 1 t\n"
    with pytest.raises(FormatError, match=r"^x:9: document 'a' is retrieved a second time"):
        read_columns([text], "run", "x", "error")


labels = st.one_of(
    st.sampled_from([b"0", b"Q0", b"-", b"00", b"1", b"q0", b"0Q", b"1.5"]),
    st.binary(min_size=1, max_size=3).filter(lambda it: not it.split() or it.split() == [it]),
).filter(lambda it: it.split() == [it] and b"\0" not in it)
gaps = st.sampled_from([b" ", b"\t", b"  ", b" \t"])


@examples(300)
@given(st.lists(st.tuples(labels, gaps, gaps), min_size=1, max_size=4))
def test_no_subtopic_is_missed(lines):
    """Files that the reader treats as plain have no subtopics by the slow rule."""
    rows = [b"q%sd%d 1\n" % (b"".join([a, label, b]), i) for i, (label, a, b) in enumerate(lines)]
    text = b"".join(rows)
    _, may_have_subtopics = read_labelled_columns(text, "x", "error")
    if not may_have_subtopics:
        assert not trec.has_subtopics(text)
    plain = all(label in (b"0", b"Q0") and a + b in (b"  ", b"\t\t", b" \t", b"\t ")
                for label, a, b in lines)  # fmt: skip
    assert may_have_subtopics is not plain
