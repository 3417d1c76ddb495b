"""Subtopics in TREC's second column, and tags of runs: read, kept and written."""

import gzip

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run

DIVERSITY = b"""\
51 1 clueweb09-en0000-00-00142 0
51 2 clueweb09-en0000-00-00142 2
51 1 clueweb09-en0000-17-20138 1
52 0 clueweb09-en0000-00-00142 1
"""
SUBTOPICS = {
    b"51": {
        b"clueweb09-en0000-00-00142": {b"1": 0.0, b"2": 2.0},
        b"clueweb09-en0000-17-20138": {b"1": 1.0},
    }
}
HOLD_SUBTOPICS = ["b.qrels", "b.qrels.gz", "b.jsonl", "b.csv", "b.tsv", "b.parquet", "b.arrow"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Use a temporary working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


def test_the_second_column_of_a_diversity_track_is_the_subtopic(write):
    """A document gets the highest of its grades; 0 means the whole topic."""
    judgments = read_judgments(write(DIVERSITY))
    assert judgments.subtopics == SUBTOPICS
    assert judgments.to_dict() == {
        "51": {"clueweb09-en0000-00-00142": 2.0, "clueweb09-en0000-17-20138": 1.0},
        "52": {"clueweb09-en0000-00-00142": 1.0},
    }


@pytest.mark.parametrize("target", HOLD_SUBTOPICS)
def test_convert_keeps_subtopics(folder, target):
    """TREC, JSON lines, tables, Parquet and Arrow support them."""
    (folder / "a.qrels").write_bytes(DIVERSITY)
    assert berryeval("convert", "a.qrels", target).exit_code == 0
    assert berryeval("convert", target, "back.qrels").exit_code == 0
    first, back = read_judgments("a.qrels"), read_judgments("back.qrels")
    assert back == first
    assert back.subtopics == SUBTOPICS


@pytest.mark.parametrize("target", ["b.json", "b.letor"])
def test_a_format_without_subtopics_is_rejected(folder, target):
    """Nothing is dropped silently."""
    (folder / "a.qrels").write_bytes(DIVERSITY)
    result = berryeval("convert", "a.qrels", target)
    assert result.exit_code == 2
    assert "cannot hold the subtopics of judgments; write TREC, JSON lines" in result.stderr
    assert not (folder / target).exists()


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 d1 1\nq1 0 d2 0\n",
        b"q1\t0\td1\t1\r\nq2\t0\td1\t0\r\n",
        b"q1 Q0 d1 1\nq1 q0 d2 0\n",
        b"q1 U0 d1 1\nq1 Q0 d2 0",  # ANTIQUE
        b"1 0.5 d1 1\n1 1 d2 0\n1 4.5 d3 2\n",  # TREC-COVID: rounds of judging
        b"# comment 1 2 3\n\nq1 0 d1 1\nq1 - 0 0\n",
        b"\xef\xbb\xbfq1 0 d1 1\n",
    ],
)
def test_an_ordinary_second_column_is_not_a_subtopic(write, content):
    """It may contain iterations or judging rounds."""
    judgments = read_judgments(write(content))
    assert judgments.subtopics == {}
    assert judgments.n_rows == sum(len(line.split()) == 4 for line in content.splitlines())


def test_a_subtopic_may_be_a_word(write, folder):
    """Subtopics from JSON lines can be read again, or are rejected."""
    lines = b'{"query_id": "q", "doc_id": "d", "relevance": 1, "subtopic": "price"}\n'
    judgments = read_judgments(write(lines))
    write_judgments(judgments, "a.qrels")
    assert (folder / "a.qrels").read_bytes() == b"q price d 1\n"
    assert read_judgments("a.qrels") == judgments
    for name in (b"0", b"q0", b"1.5"):
        judgments.subtopics = {b"q": {b"d": {name: 1.0}}}
        with pytest.raises(InputError, match="would mean none in a TREC file"):
            write_judgments(judgments, "b.qrels")


def test_a_repeated_subtopic_is_a_duplicate_with_its_line(write):
    """This holds in every format."""
    path = write(DIVERSITY + DIVERSITY[:32])
    with pytest.raises(FormatError, match=r":5: document .* is judged a second time") as caught:
        read_judgments(path)
    assert caught.value.line == 5
    assert read_judgments(path, duplicates="keep-best").subtopics == SUBTOPICS


def test_an_invalid_line_among_subtopics_is_reported(write):
    """The message has the file and the line."""
    with pytest.raises(FormatError, match=r":3: expected 4 columns"):
        read_judgments(write(b"q 1 d 1\nq 2 d 1\nq 1 d\n"))


@pytest.mark.parametrize(
    "target", ["b.run", "b.run.gz", "b.jsonl", "b.csv", "b.tsv.zst", "b.parquet", "b.arrow"]
)
def test_convert_keeps_the_tag_of_a_run(folder, target):
    """A file without a tag gets the default tag."""
    (folder / "a.run").write_bytes(b"# made by hand\nq1 Q0 d1 1 2.5 bm25-k1=0.9\n")
    assert berryeval("convert", "a.run", target).exit_code == 0
    assert read_run(target).tag == "bm25-k1=0.9"
    assert berryeval("convert", target, "back.run").exit_code == 0
    assert (folder / "back.run").read_bytes() == b"q1 Q0 d1 1 2.5 bm25-k1=0.9\n"


def test_a_run_without_a_tag_has_the_default_tag(folder):
    """A JSON object cannot contain one."""
    (folder / "a.run").write_bytes(b"q1 Q0 d1 1 2.5 bm25\n")
    assert berryeval("convert", "a.run", "b.json").exit_code == 0
    assert read_run("b.json").tag is None
    write_run(read_run("b.json"), "c.run.gz")
    assert gzip.decompress((folder / "c.run.gz").read_bytes()) == b"q1 Q0 d1 1 2.5 berryeval\n"
    write_run(Run.from_dict({"q": {"d": 1}}), "d.csv")
    assert (folder / "d.csv").read_bytes() == b"query_id,doc_id,score\nq,d,1\n"


def test_a_column_named_tag_with_spaces_is_not_a_tag(write):
    """A TREC file could not contain it."""
    assert read_run(write(b"query_id,doc_id,score,tag\nq,d,1,two words\n")).tag is None
    assert (
        read_run(write(b'{"query_id": "q", "doc_id": "d", "score": 1, "tag": [1]}\n')).tag is None
    )
