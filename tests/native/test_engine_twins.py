"""The native engine is bit-for-bit identical to the Python engine, for every kind of input."""

import math
import os
import random
from functools import partial
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.backend import backend
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import _native as engine
from berryeval.engine import _python
from berryeval.engine._selection import AllScores
from berryeval.engine.session import Session
from berryeval.measures import parse_measures
from depth import examples

if backend().name != "native":
    pytest.skip("there is no extension to compare with", allow_module_level=True)

MEASURES = parse_measures("all_trec") + parse_measures(
    "nDCG(gain=exp2)@3 RBP ERR@5 Judged@2 unj Hole Hole@3"
)
OF_LENGTHS = parse_measures("TBG TBG@3 U@2 U(judged_only=True)@3 tokens@1 tokens@4 nDCG@3")
TO_RANK_3 = parse_measures("TBG@3 tokens@2 U@1")

query_ids = st.sampled_from(["q1", "q10", "q2", "Q", "é", "\udcff", "x" * 40])
doc_ids = st.sampled_from([f"d{i}" for i in range(12)] + ["d", "D1", "é", "\udcfe", "y" * 70])
scores = st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.5, float("inf"), float("-inf")]) | st.floats(
    allow_nan=False, width=32
)
runs = st.dictionaries(query_ids, st.dictionaries(doc_ids, scores, min_size=1, max_size=14))
judgments = st.dictionaries(
    query_ids,
    st.dictionaries(doc_ids, st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 0.5]), max_size=10),
    min_size=1,
)


def content(found: AllScores) -> tuple:
    return (
        list(found.query_ids),
        [column.tobytes() for column in found.values],
        list(found.is_missing),
        list(found.lacks_relevant),
        found.n_ignored,
        list(found.ignored_ids),
    )


def lines_of(run: dict, shuffled: random.Random | None = None) -> list[bytes]:
    """Return the lines of a TREC file, grouped by query or interleaved."""
    rows = [
        f"{query_id} Q0 {doc_id} 1 {score!r} tag\n".encode("utf-8", "surrogateescape")
        for query_id, ranking in run.items()
        for doc_id, score in ranking.items()
    ]
    if shuffled is not None:
        shuffled.shuffle(rows)
    return rows


def session_of(judged: Judgments, *, portable: bool) -> engine.Session:
    """Return a session, optionally without this processor's extended instructions."""
    session = engine._session(judged, MEASURES)
    session._make_board = partial(session._make_board, portable=portable)
    session.restart()
    return session


@examples(300)
@given(judgments, runs)
def test_runs_in_memory_have_the_same_scores(judged, run):
    """E4: columns and dicts give identical bits."""
    judged = Judgments.from_dict(judged)
    columns = Run.from_dict(run)
    expected = content(_python.score(judged, columns, MEASURES))
    assert content(engine.score(judged, columns, MEASURES)) == expected
    from_dict = engine.score_dict(judged, run, MEASURES)
    has_surrogates = any("\udcff" in q or any("\udcfe" in d for d in run[q]) for q in run)
    if not has_surrogates:
        assert from_dict is not None
        assert content(from_dict) == expected


lengths = st.dictionaries(doc_ids, st.integers(0, 500) | st.floats(0.0, 1e6), min_size=1)


@examples(300)
@given(
    judgments,
    runs,
    lengths,
    st.sampled_from([OF_LENGTHS, TO_RANK_3]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_lengths_give_the_same_scores(
    tmp_path_factory, judged, run, sizes, measures, is_shuffled, shuffle
):
    """This holds in memory and in files, at any depth; NaN marks queries with an unknown length."""
    judged = Judgments.from_dict(judged).with_lengths(sizes)
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(b"".join(lines_of(run, shuffle if is_shuffled else None)))
    expected = [*map(repr, _python.score(judged, Run.from_dict(run), measures).values)]
    for found in (
        engine.score(judged, Run.from_dict(run), measures),
        engine.score_file(judged, path, measures, "error"),
    ):
        assert [*map(repr, found.values)] == expected


@examples(300)
@given(judgments, runs, st.booleans(), st.randoms(use_true_random=False))
def test_files_have_the_same_scores(tmp_path_factory, judged, run, is_shuffled, shuffle):
    """E4: one pass over a file, grouped or interleaved, and the same text in a pipe."""
    judged = Judgments.from_dict(judged)
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(b"".join(lines_of(run, shuffle if is_shuffled else None)))
    expected = content(_python.score(judged, Run.from_dict(run), MEASURES))
    assert content(engine.score_file(judged, path, MEASURES, "error")) == expected


@examples(400)
@given(
    judgments,
    runs,
    st.booleans(),
    st.tuples(st.integers(4, 300), st.integers(1, 100), st.integers(1, 100)),
    st.integers(1, 4),
    st.lists(st.integers(0, 60), max_size=6),
    st.randoms(use_true_random=False),
    st.booleans(),
    st.booleans(),
)
def test_blocks_may_end_anywhere(
    tmp_path_factory,
    judged,
    run,
    is_shuffled,
    sizes,
    n_threads,
    comments,
    shuffle,
    has_mark,
    is_portable,
):
    """Any division into blocks gives the same scores, or the pass reports that it cannot."""
    judged = Judgments.from_dict(judged)
    lines = lines_of(run, shuffle if is_shuffled else None)
    for place in comments:
        lines.insert(place % (len(lines) + 1), b"# q1 Q0 d1 1 1 t\n" if place % 2 else b" \n")
    path = tmp_path_factory.mktemp("run") / "a.run"
    mark = b"\xef\xbb\xbf" if has_mark else b""
    path.write_bytes(mark + b"".join(lines).removesuffix(b"\n"))
    session = session_of(judged, portable=is_portable)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        is_done = session.board.score_file(file.fileno(), size, n_threads, sizes=sizes)
    queries = [line.split()[0] for line in lines if line.split() and not line.startswith(b"#")]
    is_together = len(list(groupby(queries))) == len(set(queries))
    assert is_done == is_together
    if is_done:
        expected = content(_python.score(judged, Run.from_dict(run), MEASURES))
        assert content(session.results()) == expected


@given(judgments, runs, st.randoms(use_true_random=False), st.lists(st.integers(0, 50)))
def test_the_best_of_duplicates_is_kept(tmp_path_factory, judged, run, shuffle, again):
    """With keep-best, a document has the higher of its scores in every pass."""
    judged = Judgments.from_dict(judged)
    lines = lines_of(run)
    lines += [lines[i % len(lines)].replace(b" tag", b"1 tag") for i in again if lines]
    lines = [line for line in lines if b"inf1" not in line]
    shuffle.shuffle(lines)
    lines.sort(key=lambda line: line.split()[0])
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(b"".join(lines))
    best: dict[str, dict[str, float]] = {}
    for line in lines:
        query_id, _, doc_id, _, score, _ = line.decode("utf-8", "surrogateescape").split()
        ranking = best.setdefault(query_id, {})
        ranking[doc_id] = max(ranking.get(doc_id, float(score)), float(score))
    expected = content(_python.score(judged, Run.from_dict(best), MEASURES))
    assert content(engine.score_file(judged, path, MEASURES, "keep-best")) == expected


@pytest.mark.parametrize("n_rows", [2, 1000, 10_000, 70_000])
@pytest.mark.parametrize("place", [0, 0.5, 1], ids=["first", "middle", "last"])
def test_a_repeated_document_is_found_in_a_ranking_of_any_length(n_rows, place):
    """One document occurs again at the end, and no other is mistaken for a repeat."""
    lines = [b"q Q0 d%d 1 %d t\n" % (i, n_rows - i) for i in range(n_rows)]
    repeated = lines[round(place * (n_rows - 1))]
    session = session_of(Judgments.from_dict({"q": {"d0": 1}}), portable=False)
    assert session.feed(lines)
    session.restart()
    assert not session.feed([*lines, repeated])


white = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b"\x0b", b"\x0c", b"\r", b" " * 30])
words = st.sampled_from(
    [b"Q0", b"1", b"\xa0", b"\x89\x8a\x8d", b"\x85", b"\x00", b"\x0e\x08", b"w" * 50]
)


@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@examples(300)
@given(judgments, runs, st.data(), st.integers(1, 200))
def test_columns_are_found_in_any_white_space(portable, judged, run, data, n_bytes):
    """Any width and any bytes outside of ids work, for every instruction set."""
    judged = Judgments.from_dict(judged)
    lines = []
    for line in lines_of(run):
        query_id, _, doc_id, _, score, _ = line.split()
        columns = [query_id, data.draw(words), doc_id, data.draw(words), score, data.draw(words)]
        columns += data.draw(st.lists(words, max_size=2))
        lines.append(b"".join(column + data.draw(white) for column in columns) + b"\n")
    text = b"".join(lines)
    session = session_of(judged, portable=portable)
    assert session.feed(text[i : i + n_bytes] for i in range(0, len(text), n_bytes))
    expected = content(_python.score(judged, Run.from_dict(run), MEASURES))
    assert content(session.results()) == expected


def is_number(text: bytes) -> bool:
    try:
        return not math.isnan(float(text)) and b"_" not in text
    except ValueError:
        return False


def rank_of_score(text: bytes, portable: bool) -> float | None:
    """Rank a score in a pass among its neighbours; None if the pass fails."""
    try:
        score = float(text)
    except ValueError:
        score = 0.0
    others = {
        b"d": score,
        b"e": math.nextafter(score, math.inf),
        b"b": math.nextafter(score, -math.inf),
    }
    lines = [b"q Q0 %s 1 %s t\n" % (doc_id, repr(one).encode()) for doc_id, one in others.items()]
    session = session_of(Judgments.from_dict({"q": {"c": 1}}), portable=portable)
    if not session.feed([b"".join(lines), b"q Q0 c 1 " + text + b" t\n"]):
        return None
    found = session.results()
    return 1 / found.values[[measure.name for measure in MEASURES].index("RR")][0]


numbers = st.from_regex(rb"-?(?=[.]?[0-9])[0-9]{0,17}([.][0-9]{0,17})?", fullmatch=True)


@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@examples(500)
@given(numbers)
def test_scores_in_a_pass_have_the_bits_of_float(portable, number):
    """Scores equal the float of the same text, and differ from its neighbours."""
    assert rank_of_score(number, portable) == 3  # below e and, by its id, below d


@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@pytest.mark.parametrize("number", [b"-1.5", b"12345678.123456", b"123456789012345"])
def test_only_digits_are_read_as_digits_in_a_pass(portable, number):
    """Any byte except white space is tried at any position."""
    for place in range(len(number)):
        for byte in range(256):
            text = number[:place] + bytes([byte]) + number[place + 1 :]
            if text.split() == [text]:
                expected = 3 if is_number(text) else None
                assert rank_of_score(text, portable) == expected, text


@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@pytest.mark.parametrize(
    "line",
    [
        b"q",
        b"q Q0 d 1 1",
        b"q Q0 d 1 x t",
        b"q Q0 d 1 1" + b" " * 70,
        b"q Q0 d 1 " + b"9" * 60 + b"x t",
    ],
)
def test_an_incomplete_line_is_never_scored(portable, line):
    """The pass fails, and the reader reports why, for every instruction set."""
    session = session_of(Judgments.from_dict({"q": {"d": 1}}), portable=portable)
    assert not session.feed([b"q Q0 a 1 1 t\n" + line + b"\n"])


@pytest.mark.parametrize("sizes", [(3, 1, 1), (4, 0, 1), (4, 1, 0)])
def test_blocks_are_longer_than_a_byte_order_mark(sizes):
    """Smaller blocks would lose the first line, or never end."""
    session = engine._session(Judgments.from_dict({"q": {"d": 1}}), MEASURES)
    with pytest.raises(ValueError, match="sizes are too small"):
        session.board.score_file(0, 0, 1, sizes=sizes)


def test_sizes_beyond_memory_are_rejected():
    """The number of queries times that of grades must not overflow."""
    judged = Judgments.from_dict({"q": {"d": 1}, "r": {"d": 1}})
    with pytest.raises(ValueError, match="too many grades to keep"):
        engine.Session(judged, [], n_grades=2**63)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 2 / 5), ({"most": 2}, 1 / 2), ({"most": 3}, 1 / 3), ({"judged_only": True}, 0.0)],
)
def test_documents_of_other_queries_are_cut_with_the_ranking(options, expected):
    """q1 has b and c, which q2 judges, and x and y, which no query does."""
    judged = Judgments.from_dict({"q1": {"a": 1}, "q2": {"b": 1, "c": 0}})
    run = Run.from_lists({"q1": ["b", "x", "c", "a", "y"]})
    calls = [parse_measures("Hole")[0].native_call()]
    session = Session(judged, calls, **options)
    session.score_run(run)
    assert session.results().values[0][0] == expected


def test_ties_place_documents_of_other_queries_as_all_others():
    """Out of order and with equal scores, ranks are counted: z, b, a and then x."""
    judged = Judgments.from_dict({"q1": {"a": 1}, "q2": {"b": 1}})
    run = Run.from_dict({"q1": {"x": 0.5, "a": 1.0, "z": 2.0, "b": 1.0}})
    measures = parse_measures("Hole@1 Hole@2 Hole@3 Hole@4")
    found = [column[0] for column in engine.score(judged, run, measures).values]
    assert found == [1.0, 1 / 2, 1 / 3, 2 / 4]
    assert found == [column[0] for column in _python.score(judged, run, measures).values]
