"""Judgments that quote documents."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import FormatError
from berryeval.formats.quotes import LostQuote, QuoteJudgment, locate_quote
from berryeval.golden import read_golden_set
from berryeval.golden.check import check_golden_set
from berryeval.golden.span_crediting import read_spans
from small_golden_set import GUIDE, write_golden_set

TEXTS = {"guide.md": "Tokens expire after 90 days.\nKeys expire after\n  90 days, too."}


def located(quote, source="guide.md", texts=TEXTS):
    return locate_quote(QuoteJudgment("q1", source, quote, 3), texts)


def test_a_quote_is_found_at_its_position():
    """The span covers exactly the quoted characters."""
    found = located("Tokens expire after 90 days.")
    assert found == SpanJudgment("q1", "guide.md", 0, 28, 3)


def test_white_space_may_differ():
    """A line break in the document is a space in the quote."""
    found = located("Keys expire after 90 days")
    assert TEXTS["guide.md"][found.start : found.end] == "Keys expire after\n  90 days"


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Tokens expire after 60 days.", "the nearest text is 'Tokens expire after 90 days.'"),
        ("tokens expire", "the nearest text is 'Tokens expire'"),
        ("expire after 90 days", "contains 'expire after 90 days' 2 times; quote more of the"),
        ("ripe bananas", "'guide.md' does not contain 'ripe bananas'"),
    ],
)
def test_a_quote_that_differs_is_rejected_with_the_nearest_text(quote, expected):
    """Case, words and ambiguity matter; no position is guessed."""
    found = located(quote)
    assert isinstance(found, LostQuote)
    assert expected in found.message
    assert ("nearest" in expected) == ("nearest" in found.message)


def test_an_unknown_document_is_named_with_the_nearest_one():
    """The quote cannot be searched for."""
    found = located("Tokens", source="guid.md")
    assert found.message == (
        "'Tokens' is quoted from 'guid.md', which is not a document; did you mean 'guide.md'?"
    )


WORDS = st.lists(st.sampled_from(["a", "b.", "(c", "d*", "é"]), min_size=1, max_size=12)


@given(words=WORDS, data=st.data())
def test_any_passage_that_occurs_once_is_found(words, data):
    """The span is the passage, whatever characters it has."""
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 1))
    passage = " ".join(words[start : data.draw(st.integers(start + 1, len(words)))])
    found = located(passage, texts={"guide.md": text})
    if isinstance(found, LostQuote):
        assert "times; quote more" in found.message
    else:
        assert text[found.start : found.end] == passage


def quoting(folder, *quotes, not_relevant=()):
    entry = {
        "query_id": "Q1",
        "relevant": [{"document": "guide.md", "quote": one, "grade": 3} for one in quotes],
        "not_relevant": [{"document": "guide.md", "quote": one} for one in not_relevant],
    }
    return write_golden_set(folder, [entry])


def test_a_golden_set_with_quotes_judges_spans(tmp_path):
    """The quoted passages have positions, in the order of the file."""
    folder = quoting(tmp_path, "expires after one hour", not_relevant=["How to begin"])
    golden = read_golden_set(folder)
    (judged,) = golden.judged
    start = GUIDE.index("expires after one hour")
    span_id = f"guide.md@{start}-{start + 22}"
    assert judged.relevant == ((span_id, 3),)
    assert [span.grade for span in judged.spans] == [3, 0]
    run = be.Run.from_lists({"Q1": ["guide.md#token-lifetime"]})
    assert golden.credit(run).ranking("Q1") == [span_id]


def test_every_reader_finds_the_quotes(tmp_path):
    """Files of judgments are read with the documents beside them."""
    folder = quoting(tmp_path, "expires after one hour")
    file = folder / "relevance-judgments.json"
    (span,) = read_spans(folder)
    assert be.read_judgments(file).to_dict() == {"Q1": {span.span_id: 3}}
    alone = tmp_path / "alone" / "x.json"
    alone.parent.mkdir()
    alone.write_text(file.read_text())
    with pytest.raises(FormatError, match=r"x\.json: judgments quote documents, and there are no"):
        be.read_judgments(alone)


def test_all_quotes_that_do_not_match_are_reported_at_once(tmp_path):
    """The check lists them; any other reader stops at the first."""
    folder = quoting(tmp_path, "expires after two hours", "not there", "How to begin")
    found = check_golden_set(folder)
    kinds = [(one.kind, one.where) for one in found.errors]
    assert kinds == [("quote", "Q1"), ("quote", "Q1"), ("nothing", "Q2")]
    assert "the nearest text is 'expires after one hour.'" in found.errors[0].message
    with pytest.raises(FormatError, match=r"Q1: 'guide\.md' does not contain 'expires after two"):
        be.read_judgments(folder / "relevance-judgments.json")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"document": "guide.md", "quote": ""}, '"quote": "a passage of it", "grade": 3}'),
        ({"document": "guide.md", "quote": "x"}, '"quote": "a passage of it", "grade": 3}'),
        ({"document": 3, "quote": "x", "grade": 3}, '"quote": "a passage of it", "grade": 3}'),
        ({"document": "guide.md", "quote": "x", "start": 3, "grade": 3}, "unknown key 'start'"),
    ],
)
def test_a_malformed_quote_is_an_error(tmp_path, entry, expected):
    """The message shows what was expected."""
    folder = write_golden_set(tmp_path, [{"query_id": "Q1", "relevant": [entry]}])
    with pytest.raises(FormatError) as caught:
        read_golden_set(folder)
    assert expected in str(caught.value)


def test_a_quote_never_reads_a_file_outside_of_the_documents(tmp_path):
    """A document is looked up by name, not opened as a path."""
    (tmp_path / "secret.md").write_text("password")
    folder = write_golden_set(tmp_path / "set", [])
    entry = {"document": "../../secret.md", "quote": "password", "grade": 3}
    content = {"judgments": [{"query_id": "Q1", "relevant": [entry]}]}
    (folder / "relevance-judgments.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="which is not a document"):
        be.read_judgments(folder / "relevance-judgments.json")
