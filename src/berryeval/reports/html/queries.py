"""Every query on the page: a table to sort, filter and open.

The first rows are in the page; the script creates the others from the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import score, signed
from berryeval.reports.html.focus import Focus
from berryeval.reports.html.markup import escaped, figure_text, json_script, scroll_box
from berryeval.reports.html.query_data import (
    DEPTH,
    OUTCOMES,
    TitledDocuments,
    moves,
    query_data,
)

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, QueryChange

__all__ = ["queries_part"]

_N_ROWS = 100
_N_OPENED = 10


def queries_part(
    comparison: Comparison,
    focus: Focus,
    figures: str,
    documents: TitledDocuments | None = None,
) -> str:
    """Return the choice of a measure, its figures, the table, and its data."""
    data = query_data(comparison, focus, documents)
    heads = [("query", "query"), ("difference", "difference"), ("baseline", comparison.baseline),
             ("candidate", focus.system),
             *([(None, "category")] if data["hasLabels"] else [])]  # fmt: skip
    head = "".join(_head(key, name) for key, name in heads)
    changes = comparison.changes(focus.system, focus.measure)[:_N_ROWS]
    rows = "".join(_row(comparison, c, has_label=data["hasLabels"]) for c in changes)
    table = scroll_box(
        "Queries",
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>",
        ' class="queries" id="queries-table"',
    )
    without_script = _without_script(comparison, focus, data["titles"])
    return (
        f"{_choices(data)}{figures}{_controls()}{table}"
        '<button type="button" class="more" id="more" hidden></button>'
        f"{_about_rankings(data)}<noscript>{without_script}</noscript>"
        f"{json_script('data', data)}"
    )


def _head(key: str | None, name: str) -> str:
    if key is None:
        return f'<th scope="col">{escaped(name)}</th>'
    figure = "" if key == "query" else ' class="n"'
    return f'<th scope="col" data-key="{key}"{figure}>{escaped(name)}</th>'


def _choices(data: dict[str, Any]) -> str:
    """Return the choices, if there are any."""
    choices = [
        f'<label>{label}<select id="choose-{key}">{_options(names, data[key])}</select></label>'
        for key, label, names in (
            ("measure", "Measure", data["measures"]),
            ("system", "Candidate", data["systems"][1:]),
        )
        if len(names) > 1
    ]
    return f'<div class="controls" hidden>{"".join(choices)}</div>' if choices else ""


def _options(names: list[str], chosen: int) -> str:
    return "".join(
        f'<option value="{i}"{" selected" if i == chosen else ""}>{escaped(name)}</option>'
        for i, name in enumerate(names)
    )


def _controls() -> str:
    outcomes = "".join(f'<option value="{name}">{name}</option>'
                       for name in OUTCOMES)  # fmt: skip
    return (
        '<div class="controls" hidden><label class="grow">Filter queries'
        '<input type="search" id="filter" placeholder="words in an id, text or category">'
        '</label><label>Outcome<select id="outcome"><option value="">all</option>'
        f'{outcomes}</select></label></div><p class="status" id="status" role="status"></p>'
    )


def _row(comparison: Comparison, change: QueryChange, *, has_label: bool) -> str:
    query = comparison.queries.get(change.query_id)
    label = f"<td>{escaped((query and query.category) or '')}</td>" if has_label else ""
    text = f' <span class="text">{escaped(change.text)}</span>' if change.text else ""
    figures = (signed(change.difference), score(change.baseline), score(change.candidate))
    return (
        f'<tr><th scope="row"><span class="unopened"><span class="id">{escaped(change.query_id)}'
        f"</span>{text}</span></th>"
        + "".join(f'<td class="n">{figure_text(figure)}</td>' for figure in figures)
        + f"{label}</tr>"
    )


def _about_rankings(data: dict[str, Any]) -> str:
    n_shown, n_all = len(data["rankings"]), len(data["ids"])
    which = "Open a query" if n_shown == n_all else (
        f"The {n_shown:,} of {n_all:,} queries that changed most can be opened"
    )  # fmt: skip
    return (
        f'<p class="note">{which} to see the first {DEPTH} ranks of both systems. '
        "A grade of ? is a hole: the document is unjudged.</p>"
    )


def _without_script(comparison: Comparison, focus: Focus, titles: Mapping[str, str]) -> str:
    """Return the rankings of the queries that changed most."""
    changes = comparison.changed_most(focus.system, focus.measure, _N_OPENED)
    shown = "".join(_opened(comparison, focus.system, change, titles) for change in changes)
    left_out = comparison.n_queries - _N_ROWS
    more = f'<p class="note">{left_out:,} more queries need JavaScript.</p>' if left_out > 0 else ""
    return f"{more}<h3>The queries that changed most</h3>{shown}"


def _opened(
    comparison: Comparison, system: str, change: QueryChange, titles: Mapping[str, str]
) -> str:
    documents = moves(comparison, change.query_id)
    columns = "".join(
        _ranking(name, column, documents, titles)
        for column, name in (
            (2, comparison.baseline),
            (3 + comparison.candidates.index(system), system),
        )
    )
    return (
        f"<details><summary>{escaped(change.query_id)} {escaped(change.text or '')} "
        f"({figure_text(signed(change.difference))})</summary>"
        f'<div class="rankings">{columns}</div></details>'
    )


def _ranking(name: str, column: int, documents: list[list[Any]], titles: Mapping[str, str]) -> str:
    found = sorted(
        (document for document in documents if 0 < document[column] <= DEPTH),
        key=lambda document: document[column],
    )
    rows = "".join(
        f"<tr><td>{document[column]}</td><td>{_named(document[0], titles)}</td>"
        f"<td>{'? (not judged)' if document[1] is None else document[1]}</td></tr>"
        for document in found
    )
    head = "".join(f'<th scope="col">{text}</th>' for text in ("rank", "document", "grade"))
    return (
        f"<div><h4>{escaped(name)}</h4><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _named(doc_id: str, titles: Mapping[str, str]) -> str:
    """Return a document by its title, with its id; by its id alone if there is none."""
    if doc_id not in titles:
        return escaped(doc_id)
    return f'{escaped(titles[doc_id])} <span class="id">{escaped(doc_id)}</span>'
