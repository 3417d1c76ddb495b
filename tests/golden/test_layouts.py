"""Golden sets in other layouts: BEIR folders, other names and formats, and single files."""

import json

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.formats import write_queries
from berryeval.golden import read_golden_set
from berryeval.golden.check import check_golden_set
from berryeval.golden.diff import diff_golden_sets
from berryeval.search import Embedded
from berryeval.suite.quality import run_quality
from small_golden_set import JUDGMENTS, judged, write_golden_set

CORPUS = [
    {"_id": "d1", "title": "OAuth > Setup", "text": "Configure OAuth with a secret."},
    {"_id": "d2", "title": "", "text": "Slow queries need an index."},
    {"_id": "d3", "title": "", "text": ""},
]
QUERIES = [{"_id": "q1", "text": "configure OAuth"}, {"_id": "q2", "text": "slow queries"}]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def beir(tmp_path):
    """Return a BEIR folder with two splits, each with one of the queries."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(lines(CORPUS))
    (folder / "queries.jsonl").write_text(lines(QUERIES))
    header = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(f"{header}q1\td1\t2\nq1\td2\t0\n")
    (folder / "qrels" / "dev.tsv").write_text(f"{header}q2\td2\t1\n")
    return folder


@pytest.fixture
def plain(tmp_path):
    """Return the small golden set, with its other parts in other formats."""
    golden = write_golden_set(tmp_path / "golden")
    folder = tmp_path / "plain"
    folder.mkdir()
    (golden / "test-documents").rename(folder / "documents")
    be.write_judgments(be.Judgments.from_dict(JUDGMENTS), folder / "judgments.jsonl")
    write_queries(be.read_queries(golden / "test-queries.json"), folder / "queries.csv")
    return folder


def test_a_beir_folder_is_a_golden_set(beir):
    """Each document is a chunk, and the queries are those of the split."""
    golden = read_golden_set(beir)
    assert [chunk.chunk_id for chunk in golden.chunks] == ["d1", "d2", "d3"]
    assert [document.title for document in golden.documents()] == ["OAuth > Setup", "", ""]
    assert [query.query_id for query in golden.queries] == ["q1"]
    assert golden.judgments.to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert not check_golden_set(golden).errors
    dev = read_golden_set(beir, split="dev")
    assert [query.query_id for query in dev.queries] == ["q2"]


def test_an_unknown_split_is_named_with_the_known_ones(beir, plain):
    """A folder without splits has none."""
    with pytest.raises(FormatError, match=r"expected qrels/train\.tsv .* found qrels/dev\.tsv, qr"):
        read_golden_set(beir, split="train")
    with pytest.raises(FormatError, match=r"expected qrels/dev\.tsv in the folder, found no qrels"):
        read_golden_set(plain, split="dev")


def test_the_suite_runs_on_a_beir_folder(beir):
    """X5: documents are indexed and scored by their own ids."""
    with Embedded("bm25") as system:
        found = run_quality(system, read_golden_set(beir), thresholds={"RR@10": 1})
    assert found.gate.verdict == "pass"
    assert found.n_indexed == 3
    assert not found.unknown


def test_parts_may_have_other_names_and_formats(plain, tmp_path):
    """judgments.jsonl and relevance-judgments.json describe the same set."""
    golden = read_golden_set(plain)
    assert golden.judgments.to_dict() == JUDGMENTS
    assert golden.relevant_of("Q2") == ("tuning.md#slow-searches", "tuning.md#tuning")
    usual = read_golden_set(write_golden_set(tmp_path / "usual", scale=None, pool_depth=None))
    assert diff_golden_sets(usual, golden).is_empty
    assert golden.content_hash == usual.content_hash


def test_parts_can_be_named_one_by_one(plain, beir):
    """Named parts replace those of a folder, and a folder is not required."""
    parts = {"queries": plain / "queries.csv", "judgments": plain / "judgments.jsonl"}
    golden = read_golden_set(documents=plain / "documents", **parts)
    assert golden.content_hash == read_golden_set(plain).content_hash
    with pytest.raises(MismatchError, match="'d1' is judged but is not a chunk of the documents"):
        read_golden_set(beir, documents=plain / "documents")
    with pytest.raises(ArgumentError, match="judgments: expected a file, or the folder of a golde"):
        read_golden_set(queries=plain / "queries.csv")


def test_two_files_of_one_part_are_an_error(plain):
    """It would be unclear which of them counts."""
    (plain / "relevance-judgments.json").write_text("{}")
    expected = r"found judgments\.jsonl and relevance-judgments\.json; keep one of them"
    with pytest.raises(FormatError, match=expected):
        read_golden_set(plain)


def test_pages_about_judgments_are_documents(tmp_path):
    """Only data files are parts of a set."""
    folder = write_golden_set(tmp_path)
    (folder / "judgments.md").write_text("# How we judge\n")
    assert read_golden_set(folder).n_judgments == 6


def test_every_command_reads_the_folder(tmp_path):
    """Judgments, queries and documents are found in it."""
    folder = write_golden_set(tmp_path)
    assert be.read_judgments(folder).to_dict() == JUDGMENTS
    assert [query.query_id for query in be.read_queries(folder)] == ["Q1", "Q2"]


def test_spans_are_recognised_by_their_ids(tmp_path):
    """A set converted to JSON lines still judges spans."""
    span = {"document": "guide.md", "start": 0, "end": 9, "grade": 3}
    folder = write_golden_set(tmp_path, [{"query_id": "Q1", "relevant": [span]}])
    before = read_golden_set(folder, chunks="size")
    be.write_judgments(be.read_judgments(folder), folder / "judgments.jsonl")
    (folder / "relevance-judgments.json").unlink()
    after = read_golden_set(folder, chunks="size")
    assert after.judged[0].spans == before.judged[0].spans
    assert after.content_hash == before.content_hash


def test_a_set_without_documents_tests_systems_that_have_their_own(plain):
    """Ids are not compared with documents; a system that indexes needs some."""
    (plain / "documents").rename(plain.parent / "elsewhere")
    golden = read_golden_set(plain)
    assert (golden.chunks, golden.judgments.to_dict()) == ((), JUDGMENTS)
    kinds = [finding.kind for finding in check_golden_set(golden).findings]
    assert "documents" in kinds
    assert "dangling" not in kinds

    def search(_query, _k):
        return ["guide.md#configure-oauth", "elsewhere"]

    found = run_quality(search, golden, thresholds={"RR@10": 0.5})
    assert found.report.mrr == 0.5
    assert found.unknown == ()
    with Embedded("bm25") as system, pytest.raises(MismatchError, match="no documents for"):
        run_quality(system, golden)


def test_whole_documents_can_be_chunks(tmp_path):
    """The judgments declare it, and every command follows."""
    entries = [judged("Q1", {"guide.md": 3, "tuning.md": 0}), judged("Q2", {"tuning.md": 2})]
    folder = write_golden_set(tmp_path, entries)
    with pytest.raises(MismatchError, match='to judge whole documents, declare "chunks": "docume'):
        read_golden_set(folder)
    golden = read_golden_set(folder, chunks="document")
    declared = read_golden_set(write_golden_set(tmp_path, entries, chunks="document"))
    assert [chunk.chunk_id for chunk in declared.chunks] == ["guide.md", "tuning.md"]
    assert declared.content_hash == golden.content_hash
    assert declared.chunks[0].to_document().title == "Guide"
    with Embedded("bm25") as system:
        assert run_quality(system, declared, thresholds={"RR@10": 1}).gate.verdict == "pass"


@pytest.mark.parametrize("name", ["page", 3])
def test_an_unknown_chunking_is_an_error(tmp_path, name):
    """The message lists the known ones."""
    with pytest.raises(FormatError, match="as chunks, found"):
        read_golden_set(write_golden_set(tmp_path, chunks=name))
