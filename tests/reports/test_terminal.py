"""Tables and sections: plain in a pipe, Rich on a terminal."""

import contextlib
import io
import re

import pytest

from berryeval.reports import terminal
from berryeval.reports.layout import Section, Table, section_to_text, table_to_text

TABLE = Table("Means", ("", "bm25", "dense"), (("MRR", "0.5000", "1.0000"),), ("A note.",))
SECTION = Section("nDCG", (("Definition", "word " * 30), ("Use when", "Always.")))


class Terminal(io.StringIO):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """Call a function with a terminal of 100 columns as standard output; return its output."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(function, *arguments) -> str:
        with contextlib.redirect_stdout(Terminal()) as screen:
            function(*arguments)
        return screen.getvalue()

    return call


def test_a_table_in_a_pipe_is_plain_and_aligned(capsys):
    """Words are aligned left and figures right."""
    terminal.show_table(TABLE)
    assert capsys.readouterr().out == (
        "Means\n\n       bm25   dense\nMRR  0.5000  1.0000\n\nA note.\n"
    )


def test_a_table_without_a_title_starts_with_its_header():
    """There are no empty lines."""
    assert table_to_text(Table("", ("a", "b"), (("1", "2"),))) == "a  b\n1  2"


def test_a_table_on_a_terminal_is_drawn_by_rich(on_terminal):
    """All cells and notes are shown, under a ruled header."""
    shown = on_terminal(terminal.show_table, TABLE)
    for text in ("Means", "bm25", "dense", "MRR", "0.5000", "1.0000", "A note.", "───"):
        assert text in shown


def test_data_cannot_control_a_terminal(on_terminal):
    """Escape sequences in an id, a title or a note are shown as text."""
    evil = "\x1b]0;title\x07"
    shown = on_terminal(terminal.show_table, Table(evil, ("", evil), ((evil, "1"),), (evil,)))
    assert "\x1b]0;" not in shown
    assert shown.count("\ufffd]0;title\ufffd") == 4


def test_a_section_in_a_pipe_is_indented_under_its_labels(capsys):
    """Lines have at most 80 columns and continue under the text."""
    terminal.show_sections([SECTION, SECTION])
    first, second = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert first == second == section_to_text(SECTION)
    lines = first.splitlines()
    assert lines[0] == "nDCG"
    assert lines[1].startswith("  Definition  word word")
    assert lines[2].startswith("              word")
    assert max(map(len, lines)) <= 80


def test_brackets_in_sections_are_not_markup(on_terminal):
    """Sections on a terminal have colours, and text in brackets stays text."""
    other = Section("[b]Other[/b]", (("[i]Label[/i]", "[bold]text[/bold]"),))
    shown = on_terminal(terminal.show_sections, [SECTION, other])
    assert "\x1b[" in shown
    for text in ("[b]Other[/b]", "[i]Label[/i]", "[bold]text[/bold]"):
        assert text in shown


def test_notes_headers_and_cells_are_not_markup(on_terminal):
    """Text in brackets stays text."""
    table = Table("[b]T[/b]", ("", "[b]h[/b]"), (("[b]c[/b]", "1"),), ("[b]n[/b]",))
    shown = on_terminal(terminal.show_table, table)
    for text in ("[b]T[/b]", "[b]h[/b]", "[b]c[/b]", "[b]n[/b]"):
        assert text in shown


def test_a_narrow_terminal_loses_nothing(on_terminal, monkeypatch):
    """Long words are wrapped, not cut, so that names can be copied."""
    monkeypatch.setenv("COLUMNS", "30")
    name = "berryeval.metrics.average_precision"
    shown = on_terminal(terminal.show_sections, [Section("AP", (("In Python", name),))])
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert name in "".join(line[13:].strip() for line in plain.splitlines()[1:])


def test_commands_in_notes_can_be_copied(on_terminal):
    """The terminal wraps them; a line end in the middle would split the command."""
    note = f"To see why, run `berryeval explain {'a-long-name ' * 12}--all`."
    shown = on_terminal(terminal.show_table, TABLE._replace(notes=(note, "word " * 40)))
    assert note in shown
    assert "word " * 40 not in shown


def test_no_color_is_respected(on_terminal, monkeypatch):
    """NO_COLOR removes colours but keeps the structure."""
    assert "\x1b[36m" in on_terminal(terminal.show_sections, [SECTION])
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in on_terminal(terminal.show_sections, [SECTION])


@pytest.mark.parametrize(("height", "is_paged"), [("5", True), ("500", False)])
def test_long_output_goes_to_the_pager(on_terminal, monkeypatch, height, is_paged):
    """This applies only to interactive terminals."""
    paged = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, **_: paged.append(text))
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setenv("LINES", height)
    shown = on_terminal(terminal.show_sections, [SECTION] * 3)
    assert (bool(paged), bool(shown)) == (is_paged, not is_paged)
    assert "Definition" in "".join([*paged, shown])


def plain(shown: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_a_wide_table_is_split_without_losing_numbers(on_terminal, monkeypatch, columns):
    """Each block has the keys and as many columns as fit."""
    monkeypatch.setenv("COLUMNS", str(columns))
    measures = [f"nDCG@{k}" for k in range(1, 18)]
    rows = [
        (query, run, *(f"0.{i}{k:03}" for k in range(1, 18)))
        for i, (query, run) in enumerate([("q1", "bm25.run"), ("all 1", "bm25.run")])
    ]
    table = Table("", ("query", "run", *measures), tuple(rows), n_keys=2)
    lines = plain(on_terminal(terminal.show_table, table))
    assert max(map(len, lines)) <= columns
    shown = " ".join(lines)
    for text in (*measures, *(cell for row in rows for cell in row)):
        assert text in shown
    n_blocks = sum("query" in line for line in lines)
    assert n_blocks > 1
    assert sum("bm25.run" in line for line in lines) == 2 * n_blocks


def test_long_names_are_wrapped_so_that_numbers_fit(on_terminal, monkeypatch):
    """Keys and headers stay complete."""
    monkeypatch.setenv("COLUMNS", "40")
    query, run = "x" * 64, "z" * 50
    table = Table("", ("query", "run", run), ((query, run, "0.1234"),), n_keys=2)
    lines = plain(on_terminal(terminal.show_table, table))
    assert max(map(len, lines)) <= 40
    shown = "".join(lines)
    assert (shown.count("x"), shown.count("z"), shown.count("0.1234")) == (64, 100, 1)


def test_a_table_that_fits_is_one_block(on_terminal):
    """No key is repeated unnecessarily."""
    assert on_terminal(terminal.show_table, TABLE).count("MRR") == 1


def test_long_keys_are_wrapped_to_save_blocks(on_terminal, monkeypatch):
    """The table of a gate stays in one piece, and rows keep their figures."""
    monkeypatch.setenv("COLUMNS", "60")
    guard = "nDCG@10 drops by less than 0.05 (category=billing)"
    table = Table("", ("guard", "value", "limit", "p"), ((guard, "+0.1234", "-0.0500", "0.5"),))
    lines = plain(on_terminal(terminal.show_table, table))
    assert sum("guard" in line for line in lines) == 1
    assert " ".join(re.split(r"\s{2,}", line)[0] for line in lines[2:]) == guard
    assert len(lines[1]) == 60, "folded no further than it takes"
    assert lines[2].split()[-3:] == ["+0.1234", "-0.0500", "0.5"]


def test_columns_are_two_spaces_apart_as_in_a_pipe(on_terminal, monkeypatch):
    """A table that fits 80 columns of plain text fits such a terminal."""
    table = Table("", ("", *"abcdefgh"), (("MRR", *["0.12345"] * 8),))
    width = max(map(len, table_to_text(table).splitlines()))
    monkeypatch.setenv("COLUMNS", str(width))
    lines = plain(on_terminal(terminal.show_table, table))
    assert [lines[0].rstrip(), lines[2]] == table_to_text(table).splitlines()


def test_a_title_may_be_wider_than_its_table(on_terminal):
    """A verdict is a sentence that uses the whole screen."""
    title = "PASS: both guards hold over 60 queries."
    table = Table(title, ("", "a"), (("b", "1"),))
    assert plain(on_terminal(terminal.show_table, table))[:2] == [title, ""]
