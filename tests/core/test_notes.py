"""Notes on results."""

from berryeval.core.notes import Note, caution_notes


def test_only_a_caution_starts_with_the_word():
    """Pages that show cautions separately leave the word out."""
    [caution] = caution_notes(["runs differ in depth"])
    assert (caution.text, caution.is_caution) == ("runs differ in depth.", True)
    assert [str(caution), str(Note("8 queries."))] == [
        "Caution: runs differ in depth.",
        "8 queries.",
    ]
