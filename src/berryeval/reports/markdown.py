"""Markdown as GitHub and GitLab show it: for a comment, or the summary of a CI job.

Data is shown literally: no markup, no links, no mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.core.text import printable
from berryeval.evaluation.headline import listing
from berryeval.reports.comparison import comparison_table
from berryeval.reports.gate import gate_table, guard_figures
from berryeval.reports.layout import Table
from berryeval.reports.wording import capitalised, count, gate_note, reason_of

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = ["comparison_to_markdown", "gate_to_markdown", "tables_to_markdown"]

_ICONS = {"pass": "✅", "fail": "❌", "inconclusive": "⚠️"}

_MARKUP = re.compile(r"[\\`*<>&|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[:])")
_MENTION = re.compile(r"(?<!\w)[@#!](?=\w)")
_ADDRESS = re.compile(r"\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)", re.IGNORECASE)
_CODE = re.compile("&#96;(.+?)&#96;")
_MAX_ROWS = 200
"""Largest number of rows in a table."""
_MAX_CHARACTERS = 60_000
"""Maximum length in characters; comments are limited to 65,536."""


def comparison_to_markdown(comparison: Comparison) -> str:
    """Return a heading with the result in one sentence, the tables, and the details behind them."""
    heading = f"### {_text(comparison.sentence)}"
    return _joined([heading, *_comparison_parts(comparison)])


def gate_to_markdown(result: GateResult) -> str:
    """Return the verdict in one sentence, the guards, and the comparison folded below."""
    verdict = f"{_ICONS[result.verdict]} {result.verdict.capitalize()}"
    parts = [
        f"### {verdict}: {_text(capitalised(result.sentence))}",
        _rows(
            ("guard", "verdict", "value", "limit", "interval", "why"),
            [_guard(guard) for guard in result.guards],
            n_keys=2,
            n_words=1,
        ),
    ]
    parts += map(_note, filter(None, [result.losses_note]))
    parts += (f"<sub>{_note(note)}</sub>" for note in filter(None, [gate_note(result)]))
    if result.next_step:
        parts.append(_note(result.next_step))
    parts += [_folded(table.title, [table]) for table in gate_table(result)[1:]]
    if result.comparison is not None:
        comparison = result.comparison
        names = f"{listing(comparison.candidates)} against {comparison.baseline}"
        queries = count(comparison.n_queries, "query", "queries")
        parts.append(_folded(f"{names}, {queries}", comparison_table(comparison)))
    return _joined(parts)


def tables_to_markdown(tables: Iterable[Table]) -> str:
    """Return tables one after the other, each under its title if it has one."""
    return _joined(
        f"**{_text(table.title)}**\n\n{_table(table)}" if table.title else _table(table)
        for table in tables
    )


def _guard(guard: GuardResult) -> tuple[str, ...]:
    verdict = f"{_ICONS[guard.verdict]} {guard.verdict}" + " (watched)" * guard.is_watched
    return (_text(guard.name), verdict, *map(_text, guard_figures(guard)), _text(reason_of(guard)))


def _comparison_parts(comparison: Comparison) -> list[str]:
    means, differences, *others = comparison_table(comparison)
    parts = [_table(means), _table(differences)]
    return parts + [_folded(table.title, [table]) for table in others]


def _folded(summary: str, tables: Iterable[Table]) -> str:
    shown = [f"**{_text(table.title)}**\n\n{_table(table)}" for table in tables]
    inside = "\n\n".join(shown) if len(shown) > 1 else shown[0].partition("\n\n")[2]
    return f"<details><summary>{_text(summary)}</summary>\n\n{inside}\n\n</details>"


def _table(table: Table) -> str:
    rows = [tuple(map(_text, row)) for row in table.rows[:_MAX_ROWS]]
    shown = _rows(tuple(map(_text, table.header)), rows, table.n_keys)
    notes = list(table.notes)
    if len(table.rows) > _MAX_ROWS:
        notes.append(f"{len(table.rows) - _MAX_ROWS:,} more rows are left out.")
    return "\n\n".join([shown, *(f"<sub>{_note(note)}</sub>" for note in notes)])


def _rows(
    header: tuple[str, ...], rows: list[tuple[str, ...]], n_keys: int, n_words: int = 0
) -> str:
    """Return a table; figures between the keys and the words at the end are right-aligned."""
    n_figures = len(header) - n_keys - n_words
    rule = [*[":---"] * n_keys, *["---:"] * n_figures, *[":---"] * n_words]
    lines = [header, tuple(rule), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Return text on one line, escaped for Markdown."""
    line = printable(" ".join(text.split()))
    # A word joiner between sign and name: no user is mentioned, and no issue or page is linked.
    for pattern in (_MENTION, _ADDRESS):
        line = pattern.sub("\\g<0>\u2060", line)
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", line)


def _note(text: str) -> str:
    """Return a note like `_text`, with what is between backticks as code."""
    return _CODE.sub("<code>\\1</code>", _text(text))


def _joined(parts: Iterable[str]) -> str:
    """Join the parts, dropping collapsed ones from the end if a comment cannot contain all."""
    kept = list(parts)
    left_out = 0
    while sum(map(len, kept)) > _MAX_CHARACTERS and kept[-1].startswith("<details>"):
        kept.pop()
        left_out += 1
    if left_out:
        kept.append(f"<sub>{left_out} tables are left out: a comment cannot hold them.</sub>")
    return "\n\n".join(kept) + "\n"
