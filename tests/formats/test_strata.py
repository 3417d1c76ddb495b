"""Strata of sampled judgments: in TREC files for sample_eval.pl, and in all other formats."""

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.content_hash import hash_of_judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats.facts import read_facts
from berryeval.formats.query_texts import rename_queries
from berryeval.formats.reading import read_judgments
from berryeval.formats.writing import write_judgments

PRELS = b"""\
1 0 PMC1 1 2
1 0 PMC2 1 0
1 0 PMC3 2 -1
# a comment
2 0 PMC1 - 1
"""
STRATA = {b"1": {b"PMC1": b"1", b"PMC2": b"1", b"PMC3": b"2"}}
GRADES = {"1": {"PMC1": 2.0, "PMC2": 0.0, "PMC3": -1.0}, "2": {"PMC1": 1.0}}


pytestmark = pytest.mark.usefixtures("folder")


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


def test_a_fifth_column_makes_the_fourth_the_stratum(write):
    """A hyphen stands for no stratum."""
    judgments = read_judgments(write(PRELS))
    assert judgments.to_dict() == GRADES
    assert judgments.strata == STRATA


@pytest.mark.parametrize(
    "target", ["b.qrels", "b.qrels.gz", "b.jsonl", "b.csv", "b.tsv", "b.parquet", "b.arrow"]
)
@pytest.mark.parametrize("source", [PRELS, b"1 a PMC1 1 2\n1 b PMC1 1 0\n1 - PMC2 x 1\n"])
def test_convert_keeps_strata(folder, target, source):
    """This includes documents with subtopics."""
    (folder / "a.txt").write_bytes(source)
    result = berryeval("convert", "a.txt", target)
    assert result.exit_code == 0, result.output
    assert "left out" not in result.stderr
    back = read_judgments(target)
    assert back == read_judgments("a.txt")
    assert back.strata


def test_other_formats_lose_strata_and_convert_says_so(folder):
    """A JSON object has only a number for each document."""
    (folder / "a.txt").write_bytes(PRELS)
    result = berryeval("convert", "a.txt", "b.json", "--kind", "judgments")
    assert result.exit_code == 0
    assert "The strata of documents were left out: xinfAP and infNDCG need them." in result.stderr
    assert not read_judgments("b.json").strata


def test_judges_and_strata_can_be_combined(folder):
    """There is one row per judge, each with the stratum of the document."""
    (folder / "a.csv").write_text(
        "query_id,doc_id,relevance,judge,stratum\nq,a,1,ann,1\nq,a,2,bob,1\nq,b,-1,,2\n"
    )
    for target in ("b.csv", "b.jsonl", "b.parquet"):
        assert berryeval("convert", "a.csv", target).exit_code == 0
        back = read_judgments(target)
        assert back.strata == {b"q": {b"a": b"1", b"b": b"2"}}
        assert [one.grade for one in back.opinions[b"q"][b"a"]] == [1.0, 2.0]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_may_have_a_column_of_strata(library):
    """Whole numbers may be names, too."""
    columns = {
        "query_id": ["q", "q"],
        "doc_id": ["a", "b"],
        "relevance": [1, -1],
        "stratum": [1, 2],
    }
    module = pytest.importorskip(library)
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    judgments = be.Judgments.from_frame(frame)
    assert judgments.strata == {b"q": {b"a": b"1", b"b": b"2"}}
    assert be.Judgments.from_frame(judgments.to_arrow()) == judgments


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"1 0 a 1 2\n1 0 b 1\n",
            r":2: expected 5 columns \(query, iteration, document, stratum, grade\), found 4",
        ),
        (b"1 0 a 1 2\n1 0 b 1 x\n", r":2: expected a number as grade, found 'x'"),
        (b"1 0 a 1 2\n1 0 a 2 2\n", r":2: expected one stratum of document 'a' of query '1'"),
        (b"1 0 a 1 2\n1 0 a 1 2\n", r":2: document 'a' is judged a second time for query '1'"),
        (b"1 0 a 2\n1 0 b 1 2\n", r":2: expected 4 columns"),
        (
            b"1 Q0 a 1 12.5\n",
            r":1: expected 4 columns \(query, iteration, document, grade\), found",
        ),
        (b"1 0 a 1 tag\n", r":1: expected 4 columns"),
    ],
)
def test_invalid_lines_are_rejected(write, content, message):
    """This includes a run without tags, which has five columns, too."""
    with pytest.raises(FormatError, match=message):
        read_judgments(write(content))


@pytest.mark.parametrize(
    ("stratum", "message"),
    [("-", "the stratum - would mean none in a TREC file"), ("a b", "cannot hold the id 'a b'")],
)
def test_a_stratum_that_would_be_read_as_another_is_rejected(stratum, message):
    """TREC files cannot represent it; other formats can."""
    judgments = be.Judgments.from_dict({"q": {"a": 1}}).with_strata({"q": {"a": stratum}})
    with pytest.raises(InputError, match=message):
        write_judgments(judgments, "b.qrels")
    write_judgments(judgments, "b.jsonl")
    assert read_judgments("b.jsonl") == judgments


def test_strata_are_part_of_the_hash_and_of_equality(write):
    """They change the scores of some measures."""
    judgments = read_judgments(write(PRELS))
    plain = be.Judgments.from_dict(GRADES)
    assert judgments != plain
    assert hash_of_judgments(judgments) != hash_of_judgments(plain)
    assert hash_of_judgments(plain.with_strata({"1": {"PMC1": 1, "PMC2": 1, "PMC3": 2}})) == (
        hash_of_judgments(judgments)
    )


def test_a_part_of_the_queries_and_renamed_queries_keep_their_strata(write):
    """They also keep subtopics."""
    judgments = read_judgments(write(PRELS))
    assert judgments.of_queries({"1"}).strata == STRATA
    assert judgments.of_queries({"2"}).strata == {}
    renamed, _ = rename_queries(judgments, {"1": "one"})
    assert renamed.strata == {b"one": STRATA[b"1"]}


def test_inspect_takes_five_columns_for_judgments(write):
    """Documents that were not judged have a negative grade."""
    facts = read_facts(write(PRELS))
    assert (facts.kind, facts.rows, facts.lowest, facts.highest) == ("judgments", 4, -1.0, 2.0)
