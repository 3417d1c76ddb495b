"""Parquet and Arrow files, scored while they are read."""

import gc
import random
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import berryeval as be
from berryeval.backend import backend
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import _native, score, score_at_once
from berryeval.errors import FormatError
from berryeval.formats import parquet, read_run
from berryeval.formats._arrow_files import as_stream
from berryeval.measures import parse_measures

if backend().name != "native":
    pytest.skip("without the extension, files are read as a whole", allow_module_level=True)

JUDGMENTS = Judgments.from_dict({str(i): {str(i % 7): 1, "3": 2} for i in range(50)})
MEASURES = parse_measures("nDCG@10 AP RR num_ret")


def rows_of(order=None):
    """Return queries, documents and scores, with ties; the longest ranking has 400 documents."""
    draw = random.Random(3)  # noqa: S311
    rows = [
        (query, document, draw.randrange(4) / 2)
        for query in range(0, 60, 2)
        for document in draw.sample(range(500), 400 if query == 8 else 20)
    ]
    if order is not None:
        rows.sort(key=order)
    queries, documents, scores = zip(*rows, strict=True)
    return list(queries), list(documents), list(scores)


def table_of(id_type, order=None):
    queries, documents, scores = rows_of(order)
    if id_type is None:  # categories
        columns = [pa.array(map(str, ids)).dictionary_encode() for ids in (queries, documents)]
    elif pa.types.is_integer(id_type):
        columns = [pa.array(ids, id_type) for ids in (queries, documents)]
    else:
        columns = [pa.array(map(str, ids), id_type) for ids in (queries, documents)]
    return pa.table([pa.array(scores), *reversed(columns)], ["score", "doc_id", "query_id"])


def write_parquet(table, path):
    pq.write_table(table, path, row_group_size=37)


def write_arrow_file(table, path):
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table.unify_dictionaries(), max_chunksize=37)


def write_arrow_stream(table, path):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=37)


every_way = pytest.mark.parametrize("store", [write_parquet, write_arrow_file, write_arrow_stream])
every_id = pytest.mark.parametrize(
    "id_type", [pa.string(), pa.large_string(), pa.int64(), pa.uint16(), None], ids=str
)


def same(a, b) -> bool:
    return (a.query_ids, a.values, a.counts) == (b.query_ids, b.values, b.counts)


@every_way
@every_id
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_file_is_scored_batch_by_batch(store, id_type, threads, tmp_path, monkeypatch):
    """A query may span row groups, ids may be of any type, and every bit is that of a run."""
    monkeypatch.setenv("BERRYEVAL_THREADS", threads)
    store(table_of(id_type), tmp_path / "file")
    expected = score(JUDGMENTS, read_run(tmp_path / "file"), MEASURES)
    found = score_at_once(JUDGMENTS, tmp_path / "file", MEASURES)
    assert found is not None
    assert same(found, expected)


@every_way
def test_a_file_whose_queries_are_interleaved_is_read_as_a_whole(store, tmp_path):
    """The scores are the same."""
    store(table_of(pa.string(), order=lambda row: row[1]), tmp_path / "file")
    assert score_at_once(JUDGMENTS, tmp_path / "file", MEASURES) is None
    found = be.evaluate(JUDGMENTS, tmp_path / "file", MEASURES)
    expected = be.evaluate(JUDGMENTS, read_run(tmp_path / "file"), MEASURES)
    assert same(found.scores, expected.scores)


@every_way
def test_a_document_that_comes_twice_is_reported_with_its_row(store, tmp_path):
    """On request, its better score counts instead."""
    table = pa.table({"qid": ["1"] * 3, "doc": ["3", "1", "3"], "score": [1.0, 2.0, 3.0]})
    store(table, tmp_path / "file")
    with pytest.raises(FormatError, match=r"document '3' is retrieved a second time .* in row 3"):
        be.evaluate(JUDGMENTS, tmp_path / "file", ["RR"])
    best = be.evaluate(JUDGMENTS, tmp_path / "file", ["nDCG"], duplicates="keep-best")
    assert best["nDCG"].by_query["1"] == 1.0


@every_way
def test_a_damaged_file_is_an_error_in_one_line(store, tmp_path):
    """This holds for any error that pyarrow raises while it reads batches."""
    store(table_of(pa.string()), tmp_path / "file")
    content = bytearray((tmp_path / "file").read_bytes())
    draw = random.Random(5)  # noqa: S311
    for _ in range(40):
        damaged = content.copy()
        for _ in range(8):
            damaged[draw.randrange(200, len(damaged) - 200)] = draw.randrange(256)
        (tmp_path / "damaged").write_bytes(damaged)
        assert "\n" not in error_of(tmp_path / "damaged")


def error_of(path) -> str:
    """Return what is wrong with a file; nothing if it could be scored."""
    try:
        be.evaluate(JUDGMENTS, path, MEASURES)
    except be.InputError as error:
        return str(error)
    return ""


@every_way
def test_the_stated_ranks_of_a_file_are_checked(store, tmp_path):
    """They are checked as in a run that is read as a whole."""
    queries, documents, _ = rows_of()
    places = list(range(len(queries)))
    columns = {"qid": map(str, queries), "doc": map(str, documents)}
    table = pa.table(
        {
            **{name: list(ids) for name, ids in columns.items()},
            "rank": places,
            "score": [float(place % 3) for place in places],
        }
    )
    store(table, tmp_path / "file")
    found = be.evaluate(JUDGMENTS, tmp_path / "file", ["RR"])
    assert "ranks contradict the scores" in found.cautions[0]
    assert found.cautions == be.evaluate(JUDGMENTS, read_run(tmp_path / "file"), ["RR"]).cautions


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("id_type", [pa.string(), pa.int64()], ids=str)
def test_memory_does_not_grow_with_the_rows(threads, id_type, monkeypatch):
    """Batches are freed as soon as their queries are scored."""
    monkeypatch.setenv("BERRYEVAL_THREADS", threads)
    n_rows, n_batches = 20_000, 60
    held = []

    def batches():
        for number in range(n_batches):
            held.append(pa.total_allocated_bytes())
            first = number * n_rows
            queries = pa.array([place // 30 for place in range(first, first + n_rows)])
            columns = [queries.cast(id_type), pa.array(range(n_rows)).cast(id_type)]
            yield pa.record_batch([*columns, queries.cast(pa.float64())], fields)

    fields = pa.schema([("qid", id_type), ("doc", id_type), ("score", pa.float64())])
    before = pa.total_allocated_bytes()
    with as_stream(list(fields), batches()) as rows:
        assert _native.score_frame(JUDGMENTS, rows, MEASURES, "error") is not None
    a_batch = held[1] - before
    assert a_batch > 0
    assert max(held) - before < 15 * a_batch


def test_memory_does_not_grow_with_the_row_groups(tmp_path):
    """The data of a row group is freed with it, even if ids are in a dictionary."""
    documents = pa.array([f"document {number}" for number in range(2000)]).dictionary_encode()
    queries = pa.array(["q"] * len(documents)).dictionary_encode()
    scores = pa.array(range(len(documents)))
    table = pa.table({"qid": queries, "doc": documents, "score": scores})
    peaks = []
    for n_groups in (30, 300):
        with pq.ParquetWriter(tmp_path / "file", table.schema) as writer:
            for _ in range(n_groups):
                writer.write_table(table)
        before = pa.total_allocated_bytes()
        with parquet.open_batches(tmp_path / "file") as batches:
            held = [pa.total_allocated_bytes() - before for _ in batches]
        assert len(held) == n_groups
        peaks.append(max(held))
    assert peaks[1] < 2 * peaks[0]


@pytest.mark.parametrize(("n_documents", "is_dictionary"), [(50, True), (20_000, False)])
def test_documents_that_repeat_are_read_as_indices(n_documents, is_dictionary, tmp_path):
    """Their text is not copied for each row; ids that occur once are read as text."""
    rows = range(20_000)
    table = pa.table(
        {
            "qid": [str(row // 50) for row in rows],
            "doc": [f"document {row % n_documents}" for row in rows],
            "score": [float(row) for row in rows],
        }
    )
    pq.write_table(table, tmp_path / "file")
    with parquet.open_batches(tmp_path / "file") as batches:
        assert pa.types.is_dictionary(batches.schema.field("doc").type) == is_dictionary
    expected = score(JUDGMENTS, read_run(tmp_path / "file"), MEASURES)
    assert same(score_at_once(JUDGMENTS, tmp_path / "file", MEASURES), expected)


def test_an_interrupt_while_a_batch_is_read_is_not_lost():
    """Arrow turns it into an error; the file must not be read again from the start."""

    def batches():
        raise KeyboardInterrupt
        yield

    fields = pa.schema([("qid", pa.string()), ("doc", pa.string()), ("score", pa.float64())])
    with pytest.raises(KeyboardInterrupt), as_stream(list(fields), batches()) as rows:
        _native.score_frame(JUDGMENTS, rows, MEASURES, "error")


def test_an_interrupt_ends_the_pass_over_a_table_at_once():
    """Ctrl-C is noticed before the end."""
    n_rows = 6_000_000
    queries = pa.array(range(n_rows // 1000)).cast(pa.string())
    indices = pa.array([place // 1000 for place in range(n_rows)], pa.int32())
    table = pa.table(
        {
            "qid": pa.DictionaryArray.from_arrays(indices, queries),
            "doc": pa.array(range(n_rows)),
            "score": pa.array(range(n_rows)),
        }
    )
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    gc.disable()  # exceptions raised during garbage collection are lost
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            score_at_once(JUDGMENTS, table, MEASURES)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        gc.enable()


def test_a_run_of_whole_numbers_is_scored_like_one_of_text():
    """Whole numbers stand for their decimal text."""
    texts, numbers = (Run.from_frame(table_of(one)) for one in (pa.string(), pa.int64()))
    assert texts == numbers
    found = [score_at_once(JUDGMENTS, table_of(one), MEASURES) for one in (pa.string(), pa.int64())]
    assert None not in found
    assert same(*found)
