"""Judgments of spans, which apply to any chunking of a document."""

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, MismatchError
from berryeval.search.chunking import (
    Chunk,
    SpanJudgment,
    answers_for,
    by_heading,
    by_size,
    credit_spans,
    judge_chunks,
    judge_spans,
)


def chunk(start, end, source="a"):
    return Chunk(f"{source}#{start}-{end}", source, start, end, "x" * (end - start))


@pytest.mark.parametrize(
    ("start", "end", "answers"),
    [
        (100, 200, True),   # the same
        (0, 150, True),     # half of the span
        (0, 149, False),    # one character less
        (0, 1000, True),    # all of it, in a long chunk
        (190, 210, True),   # half of the chunk
        (190, 211, False),  # one character less
        (120, 130, True),   # inside it
        (0, 100, False),    # ends at its start
        (200, 300, False),  # starts at its end
    ],
)  # fmt: skip
def test_half_of_the_span_or_of_the_chunk_is_enough(start, end, answers):
    """The rule holds exactly at half, and not below."""
    span = SpanJudgment("q", "a", 100, 200, grade=1)
    assert answers_for(chunk(start, end), span) is answers
    assert not answers_for(chunk(start, end, source="b"), span)


def test_chunks_take_the_best_grade_of_their_spans():
    """Every chunk that covers a span gets the highest grade of its spans."""
    spans = [SpanJudgment("q", "a", 0, 20, 1), SpanJudgment("q", "a", 30, 50, 3),
             SpanJudgment("p", "a", 90, 260, 2)]  # fmt: skip
    chunks = [chunk(0, 100), chunk(100, 200), chunk(200, 300)]
    assert judge_chunks(spans, chunks).to_dict() == {
        "q": {"a#0-100": 3},
        "p": {"a#100-200": 2, "a#200-300": 2},
    }


def test_a_span_is_credited_once():
    """A second chunk that covers the span earns nothing, but counts as judged."""
    spans = [SpanJudgment("q", "a", 80, 120, 2)]
    chunks = [chunk(0, 110), chunk(90, 200), chunk(200, 300)]
    run = be.Run.from_lists({"q": ["a#200-300", "a#0-110", "a#90-200"]})
    credited = credit_spans(run, spans, chunks)
    assert credited.ranking("q") == ["a#200-300", "a@80-120", "a#90-200"]
    judged = judge_spans(spans, chunks)
    assert judged.to_dict() == {"q": {"a#0-110": 0, "a#90-200": 0, "a@80-120": 2}}
    result = be.evaluate(judged, credited, ["R@10", "RR", "AP"])
    assert result["R@10"].mean == 1.0
    assert result["RR"].mean == result["AP"].mean == 0.5


def test_a_chunk_with_two_spans_is_credited_for_both():
    """The better grade comes first."""
    spans = [SpanJudgment("q", "a", 0, 20, 1), SpanJudgment("q", "a", 30, 50, 3)]
    run = be.Run.from_lists({"q": ["a#0-100", "b"], "other": ["a#0-100"]})
    credited = credit_spans(run, spans, [chunk(0, 100)])
    assert credited.ranking("q") == ["a@30-50", "a@0-20", "b"]
    assert credited.ranking("other") == ["a#0-100"]


def test_another_chunking_leaves_a_perfect_ranking_perfect():
    """A golden set of spans stays valid if the chunking changes."""
    text = "# A\n\n" + "oauth " * 30 + "\n\n# B\n\n" + "token " * 50 + "\n\n# C\n\n" + "cache " * 40
    start = text.index("token")
    spans = [SpanJudgment("q", "s", start, text.index("\n\n# C"), 1)]
    for chunks in (by_heading(text, "s"), by_size(text, "s", size=100, overlap=20)):
        found = [c.chunk_id for c in chunks if "token" in c.text]
        credited = credit_spans(be.Run.from_lists({"q": found}), spans, chunks)
        scores = be.evaluate(judge_spans(spans, chunks), credited, ["R@10"])
        assert scores["R@10"].mean == 1.0


def test_a_span_that_no_chunk_covers_is_an_error():
    """A relevant passage that no system can find is reported."""
    spans = [SpanJudgment("q7", "a", 500, 600, 1)]
    for judge in (judge_chunks, judge_spans):
        with pytest.raises(MismatchError, match="query 'q7': no chunk covers span 'a@500-600'"):
            judge(spans, [chunk(0, 100)])


def test_a_span_has_a_length_and_one_grade():
    """Empty spans and spans with two grades are rejected."""
    with pytest.raises(ArgumentError, match="span: expected 0 <= start < end, got 5 to 5"):
        SpanJudgment("q", "a", 5, 5, 1)
    twice = [SpanJudgment("q", "a", 0, 9, 1), SpanJudgment("q", "a", 0, 9, 2)]
    with pytest.raises(MismatchError, match="span 'a@0-9' is judged twice"):
        judge_spans(twice, [chunk(0, 9)])
