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


pytestmark = pytest.mark.usefixtures("folder")


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


def test_the_second_column_of_a_diversity_track_is_the_subtopic(write):
    """A document gets the highest of its grades; 0 alone means the whole topic."""
    judgments = read_judgments(write(DIVERSITY))
    assert judgments.subtopics == SUBTOPICS
    assert judgments.to_dict() == {
        "51": {"clueweb09-en0000-00-00142": 2.0, "clueweb09-en0000-17-20138": 1.0},
        "52": {"clueweb09-en0000-00-00142": 1.0},
    }


def test_0_is_a_subtopic_beside_others_of_its_query(write, folder):
    """It is in ndeval, too. Documents without a subtopic are written with a hyphen."""
    judgments = read_judgments(write(b"q 0 a 1\nq 1 b 2\nq - c 3\np 0 a 1\np Q0 b 0\n"))
    assert judgments.subtopics == {b"q": {b"a": {b"0": 1.0}, b"b": {b"1": 2.0}}}
    write_judgments(judgments, "b.qrels")
    assert (folder / "b.qrels").read_bytes() == b"q 0 a 1\nq 1 b 2\nq - c 3\np 0 a 1\np 0 b 0\n"
    assert read_judgments("b.qrels") == judgments


WEIGHTED = b"""\
query_id,doc_id,relevance,subtopic,subtopic_weight
q,a,1,animal,0.75
q,b,2,car,0.25
q,c,0,animal,
"""


@pytest.mark.parametrize(
    "target", ["b.jsonl", "b.csv", "b.tsv.gz", "b.parquet", "b.arrow", "b.arrows"]
)
@pytest.mark.parametrize("more", ["", ",judge"])
def test_convert_keeps_weights_of_subtopics(folder, target, more):
    """This holds with and without judges."""
    lines = WEIGHTED.decode().splitlines()
    content = "\n".join(
        [lines[0] + more, *(line + more.replace("judge", "ann") for line in lines[1:])]
    )
    (folder / "a.csv").write_text(content + "\n")
    assert berryeval("convert", "a.csv", target).exit_code == 0
    back = read_judgments(target)
    assert back == read_judgments("a.csv")
    assert back.subtopic_weights == {b"q": {b"animal": 0.75, b"car": 0.25}}


def test_trec_files_lose_weights_of_subtopics_and_convert_says_so(folder):
    """The subtopics themselves are kept."""
    (folder / "a.csv").write_bytes(WEIGHTED)
    result = berryeval("convert", "a.csv", "b.qrels")
    assert result.exit_code == 0
    assert "The weights of subtopics were left out." in result.stderr
    assert read_judgments("b.qrels").subtopics == read_judgments("a.csv").subtopics


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            b"q,d,1,car,0.5",
            r":5: expected one weight of subtopic 'car' of query 'q', found 0.25 and",
        ),
        (b"q,d,1,,0.5", r":5: expected a subtopic with subtopic_weight, found none"),
        (b"q,d,1,car,0", r":5: expected a finite number above 0 as subtopic_weight, found '0'"),
        (b"q,d,1,car,x", r":5: expected a finite number above 0 as subtopic_weight, found 'x'"),
        (b"q,d,1,car,nan", r":5: expected a finite number above 0 as subtopic_weight, found 'nan'"),
    ],
)
def test_contradictory_and_invalid_weights_are_rejected(write, row, message):
    """The message has the file and the line."""
    with pytest.raises(FormatError, match=message):
        read_judgments(write(WEIGHTED + row + b"\n"))


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
