"""Splitting documents into chunks with readable ids and exact spans."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import ArgumentError, FormatError
from berryeval.search.chunking import (
    CHUNKERS,
    Chunk,
    by_heading,
    by_paragraph,
    by_size,
    read_chunks,
    to_documents,
)
from berryeval.search.chunking.markdown import slug

GUIDE = """\
---
title: Authentication
---
Read this first.

# Authentication guide

## Configure OAuth

Register the client.

```sh
# this is a comment, no heading
oauth --client id
```

### Scopes

Ask for few.

## Tokens
## Configure OAuth

Again, for services.

Troubles
--------

Look at the clock.
"""


def ids(chunks):
    return [chunk.chunk_id for chunk in chunks]


def test_markdown_is_split_at_its_headings():
    """Ids are anchors, repeated ones end in -2, and headings without text are not chunks."""
    chunks = by_heading(GUIDE, "auth.md")
    assert ids(chunks) == [
        "auth.md",
        "auth.md#configure-oauth",
        "auth.md#scopes",
        "auth.md#configure-oauth-2",
        "auth.md#troubles",
    ]
    assert chunks[0] == Chunk("auth.md", "auth.md", 30, 46, "Read this first.")
    assert chunks[2].headings == ("Authentication guide", "Configure OAuth", "Scopes")
    assert chunks[2].text == "### Scopes\n\nAsk for few."
    assert "# this is a comment" in chunks[1].text
    assert chunks[4].text == "Troubles\n--------\n\nLook at the clock."


def test_deep_headings_need_not_start_a_chunk():
    """Headings below the maximum level stay in the chunk above them."""
    chunks = by_heading(GUIDE, "auth.md", max_level=2)
    assert "auth.md#scopes" not in ids(chunks)
    assert "### Scopes" in chunks[1].text


def test_text_elsewhere_does_not_change_an_id():
    """Only headings with the same name affect an id."""
    longer = GUIDE.replace("Ask for few.", "Ask for few.\n\n#### More\n\nMuch more.")
    assert set(ids(by_heading(GUIDE, "a"))) < set(ids(by_heading(longer, "a")))


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("# A\nx\n# A 2\ny\n# A\nz", ["s#a", "s#a-2", "s#a-3"]),
        ("# A\nx\n# A\ny\n# A 2\nz", ["s#a", "s#a-2", "s#a-2-2"]),
        ("# !!!\nx", ["s#section"]),
        ("#\nx", ["s#section"]),
        ("#hashtag\nx", ["s"]),
        ("# Closed ##\nx", ["s#closed"]),
        ("    # code\nx", ["s"]),
        ("~~~\n# code\n```\n# code\n~~~\n# Real\nx", ["s", "s#real"]),
        ("Title\n===\nx", ["s#title"]),
        ("a\nb\n---\nx", ["s"]),
        ("- item\n---\nx", ["s"]),
        ("x\r\n\r\n# Windows\r\n\r\ny\r\n", ["s", "s#windows"]),
        ("---\nnever closed", ["s"]),
        ("# [Link](to.md) and `code`\nx", ["s#link-and-code"]),
        ("   \n\n", []),
        ("", []),
    ],
)
def test_only_markdown_headings_are_recognised(text, anchors):
    """Every form of heading is recognised, and no other line is."""
    assert ids(by_heading(text, "s")) == anchors


def test_anchors_are_those_of_github():
    """The id of a chunk is a link that works on GitHub."""
    assert slug("What's new in v2.1?") == "whats-new-in-v21"
    assert slug("snake_case & kebab-case") == "snake_case-kebab-case"
    assert slug("Übersicht") == "übersicht"


def test_paragraphs_are_joined_until_they_are_long_enough():
    """Paragraphs are joined within a section; the last chunk may be shorter."""
    text = "# T\n\none two\n\nthree four\n\nfive\n\n## U\n\nsix"
    chunks = by_paragraph(text, "s", min_chars=10)
    assert [(c.chunk_id, c.text) for c in chunks] == [
        ("s#p1", "one two\n\nthree four"),
        ("s#p2", "five"),
        ("s#p3", "six"),
    ]
    assert chunks[2].headings == ("T", "U")
    assert len(by_paragraph(text, "s", min_chars=0)) == 4


def test_pieces_of_fixed_size_overlap_and_keep_words_whole():
    """No piece exceeds its size, and none begins or ends within a word."""
    text = "alpha beta gamma delta epsilon zeta eta theta"
    chunks = by_size(text, "s", size=20, overlap=8)
    assert [c.text for c in chunks] == [
        "alpha beta gamma",
        "gamma delta epsilon",
        "epsilon zeta eta",
        "zeta eta theta",
    ]
    assert chunks[0].chunk_id == "s#0-16"
    assert ids(by_size("x" * 25, "s", size=10, overlap=0)) == ["s#0-10", "s#10-20", "s#20-25"]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_an_overlap_that_is_not_below_the_size_is_rejected(size, overlap):
    """The splitter would never reach the end otherwise."""
    with pytest.raises(ArgumentError, match="expected at least"):
        by_size("text", "s", size=size, overlap=overlap)


MARKDOWN = st.text(st.sampled_from("ab #-=`~\n\r\té"), max_size=120)
EVERY_CHUNKER = [
    *CHUNKERS.values(),
    partial(by_size, size=7, overlap=3),
    partial(by_paragraph, min_chars=3),
]


@pytest.mark.parametrize("chunker", EVERY_CHUNKER)
@given(text=MARKDOWN)
def test_chunks_are_pieces_of_their_source(chunker, text):
    """The span locates the text in the source, ids are unique, and no chunk is empty."""
    chunks = chunker(text, "s")
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text == chunk.text.strip() != ""
    assert len(set(ids(chunks))) == len(chunks)
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)


def test_a_folder_is_read_by_name(tmp_path):
    """Sources are named with slashes on every platform, and other files are ignored."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.md").write_text("# Two\n\n2")
    (tmp_path / "one.txt").write_text("\ufeffplain", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\xff")
    assert ids(read_chunks(tmp_path)) == ["b/two.md#two", "one.txt"]
    assert ids(read_chunks(tmp_path / "b" / "two.md")) == ["two.md#two"]
    document = next(to_documents(read_chunks(tmp_path)))
    assert (document.doc_id, document.title) == ("b/two.md#two", "Two")


def test_a_folder_without_text_files_is_an_error(tmp_path):
    """An empty folder, a missing one, and other file types are rejected."""
    with pytest.raises(FormatError, match="expected a folder with Markdown or text files"):
        read_chunks(tmp_path)
    with pytest.raises(FormatError, match="expected a folder with Markdown or text files"):
        read_chunks(tmp_path / "missing")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(FormatError, match=r"latin\.md: expected UTF-8, found other bytes at 3"):
        read_chunks(tmp_path)
