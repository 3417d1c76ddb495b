"""Files of ranx that are compressed with lz4."""

import struct

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError, SizeError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.limits import limited
from berryeval.formats.platforms._cbor import CborReader, write_map
from berryeval.formats.reading import sniff_format

# {"q1": {"d1": 2, "d2": -1, "d3": 0.5, "d4": 300}}, with a half, and a length of two bytes
CBOR = b"\xa1\x62q1\xa4\x62d1\x02\x62d2\x20\x62d3\xf9\x38\x00\x78\x02d4\x19\x01\x2c"


@pytest.fixture
def frame():
    """Return the library, or skip the test if it is not installed."""
    return pytest.importorskip("lz4.frame")


@pytest.fixture
def save_lz4(tmp_path, frame):
    """Write CBOR as ranx does: compressed twice."""

    def call(content):
        path = tmp_path / "run.lz4"
        with frame.open(path, mode="wb") as file:
            file.write(frame.compress(content, compression_level=16))
        return path

    return call


def test_cbor_of_numbers_of_every_kind_is_read():
    """This covers whole numbers of any sign and size, and floats of three sizes."""
    reader = CborReader(CBOR)
    assert reader.map_size() == 1
    assert reader.text() == b"q1"
    assert reader.map_size() == 4
    found = [(reader.text(), reader.number()) for _ in range(4)]
    assert found == [(b"d1", 2.0), (b"d2", -1.0), (b"d3", 0.5), (b"d4", 300.0)]
    assert reader.is_done
    for code, head in (("f", b"\xfa"), ("d", b"\xfb")):
        assert CborReader(head + struct.pack(f">{code}", 0.75)).number() == 0.75


@pytest.mark.parametrize("size", [0, 23, 24, 255, 256, 70_000])
def test_written_cbor_is_read_again(size):
    """This covers maps and texts of every length."""
    documents = [(b"d" * 30 + b"%d" % i, i / 7) for i in range(size)]
    reader = CborReader(b"".join(write_map([(b"q" * max(size, 1), documents)], 1)))
    assert (reader.map_size(), reader.text()) == (1, b"q" * max(size, 1))
    assert [(reader.text(), reader.number()) for _ in range(reader.map_size())] == documents


@pytest.mark.parametrize("content", [b"", b"\x80", b"\xbf", b"\xa1\x41a", b"\x7a\xff\xff\xff\xff"])
def test_other_cbor_is_a_value_error(content):
    """This covers lists, endless maps, bytes, and lengths beyond the end."""
    reader = CborReader(content)
    with pytest.raises(ValueError, match=r"expected|too early"):
        assert reader.map_size() and reader.text()  # noqa: PT018 - one after the other


def test_a_file_of_ranx_is_detected_and_read(save_lz4):
    """It may be a run or judgments."""
    path = save_lz4(CBOR)
    grades = {"q1": {"d1": 2.0, "d2": -1.0, "d3": 0.5, "d4": 300.0}}
    assert sniff_format(path) == "ranx-lz4"
    assert read_run(path).to_dict() == grades
    assert read_judgments(path).to_dict() == grades


def test_what_is_written_is_read_again(tmp_path, frame):
    """This includes a large file, in which the second frame has several blocks."""
    run = Run.from_dict(
        {f"q{i}": {f"d{i * j}x": i / (j + 1) for j in range(100)} for i in range(99)}
    )
    write_run(run, tmp_path / "a.lz4")
    assert read_run(tmp_path / "a.lz4") == run
    inner = frame.decompress((tmp_path / "a.lz4").read_bytes())
    assert frame.decompress(inner)[:2] == b"\xb8\x63"  # a map of 99
    judgments = Judgments.from_dict({"q": {"d": 1}})
    write_judgments(judgments, tmp_path / "b.lz4")
    assert read_judgments(tmp_path / "b.lz4") == judgments


@pytest.mark.parametrize(
    "content",
    [b"", b"\x01", CBOR[:-1], CBOR + b"\x00", b"\xa1\x60\xa1\x61d\x01", b"\xa1\x62q1\x80"],
)
def test_other_content_is_an_error_in_one_line(save_lz4, content):
    """It may be truncated, too long, without an id, or of another structure."""
    with pytest.raises(FormatError) as caught:
        read_run(save_lz4(content), format="ranx-lz4")
    assert "\n" not in str(caught.value)


def test_a_damaged_file_is_an_error(save_lz4):
    """It may be truncated, or have changed bytes."""
    path = save_lz4(CBOR * 50)
    content = path.read_bytes()
    for broken in (content[:-12], content[:30], content[:40] + b"\xff" * 9 + content[49:]):
        path.write_bytes(broken)
        with pytest.raises(FormatError, match=r"damaged or truncated lz4|expected"):
            read_run(path, format="ranx-lz4")


def test_a_small_file_with_much_content_is_rejected(save_lz4):
    """The limit applies to the decompressed content."""
    path = save_lz4(b"\xa1\x62q1\xa1\x7a\x00\x98\x96\x80" + b"d" * 10**7 + b"\x01")
    assert path.stat().st_size < 50_000
    with limited(content=10**6), pytest.raises(SizeError, match="expected at most 1,000,000 bytes"):
        read_run(path, format="ranx-lz4")
    with limited(rows=3), pytest.raises(SizeError, match="expected at most 3 rows"):
        read_run(save_lz4(CBOR))


def test_an_id_that_is_not_utf_8_is_refused(tmp_path, frame):  # noqa: ARG001 - needs the library
    """Texts of CBOR are UTF-8."""
    run = Run.from_dict({"q": {"d\udcff": 1.0}})
    with pytest.raises(InputError, match="a ranx file cannot hold the id"):
        write_run(run, tmp_path / "a.lz4")
