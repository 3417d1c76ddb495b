"""Options and arguments that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from berryeval.core.judging import JUDGES
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from datetime import datetime

    from berryeval.evaluation.sources import RunSource

__all__ = [
    "baseline_or_run",
    "duplicates_option",
    "exclude_self_option",
    "former_option",
    "judged_only_option",
    "judges_option",
    "lengths_option",
    "measures_option",
    "missing_option",
    "named_runs",
    "no_relevant_option",
    "queries_option",
    "time_option",
    "timings_of",
    "timings_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def measures_option(default: str, what: str = "Measure to report") -> Callable[[Command], Command]:
    """Give a command ``--measure``; `default` describes the default measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{what}. Repeatable.  [default: {default}]",
    )


queries_option = click.option("--queries", metavar="FILE", help="Texts and labels of the queries.")


def _choice(flag: str, choices: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Return an option whose default is the first choice."""
    kind = click.Choice(choices)
    return click.option(flag, type=kind, default=choices[0], show_default=True, help=text)


missing_option = _choice(
    "--missing",
    ("zero", "skip", "error"),
    "How to score judged queries that are missing from the run.",
)
no_relevant_option = _choice(
    "--no-relevant", ("zero", "skip"), "How to score queries without relevant documents."
)
duplicates_option = _choice(
    "--duplicates", ("error", "keep-best"), "What to do if a document occurs twice for a query."
)
judges_option = _choice(
    "--judges", JUDGES, "Which grade to use if several judges graded a document."
)


def former_option(flag: str, name: str, now: str) -> Callable[[Command], Command]:
    """Return an option that has another name now: it still works, and says so."""

    def hint(_context: click.Context, _option: click.Parameter, values: Any) -> Any:  # noqa: ANN401
        if values:
            click.echo(f"{flag} is now called {now}", err=True)
        return values

    text = f"Former name of {now}."
    return click.option(flag, name, multiple=True, hidden=True, callback=hint, help=text)


def _read_time(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> datetime | None:
    if text is None:
        return None
    from datetime import datetime, timezone  # not needed by most commands

    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        expected = "a date or time such as 2026-01-05 or 2026-01-05T06:30:00Z"
        raise ArgumentError("--time", expected, repr(text)) from None
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


time_option = click.option(
    "--time",
    metavar="TIME",
    callback=_read_time,
    help="Time of the history entry, to add old evaluations: 2026-01-05, or 2026-01-05T06:30:00Z. "
    "UTC unless it has an offset.  [default: now]",
)


exclude_self_option = click.option(
    "--exclude-self",
    is_flag=True,
    help="Remove a document from the results of the query with the same id, as BEIR does.",
)

judged_only_option = click.option(
    "--judged-only",
    is_flag=True,
    help="Remove unjudged documents from the rankings before scoring.",
)


lengths_option = click.option(
    "--lengths",
    metavar="FILE",
    help="Length of each document, for measures that need it, such as TBG and tokens@5: one "
    '{"doc_id": "d1", "length": 120} per line, a table with these columns, or `d1 120`.',
)


timings_option = click.option(
    "--timings",
    multiple=True,
    metavar="RUN=FILE",
    help="Times of a run's queries, for ms@p95, as written by `berryeval retrieve --timings`. "
    "Repeatable. RUN can be omitted if there is only one run.",
)


def timings_of(given: Sequence[str], runs: Mapping[str, str]) -> dict[str, str]:
    """Return the files of ``--timings`` by the name of their run; RUN is a path, or that name."""
    found: dict[str, str] = {}
    for text in given:
        run, equals, file = text.partition("=")
        names = [name for name, path in runs.items() if run in (path, name)]
        if len(runs) == 1 and not (equals and names):
            names, file = [*runs], text
        if not file or not names or names[0] in found:
            expected = f"RUN=FILE, once for each RUN of {', '.join(runs.values())}"
            raise ArgumentError("--timings", expected, repr(text))
        found[names[0]] = file
    return found


def named_runs(
    arguments: Sequence[str], argument: str = "RUN", noun: str = "run"
) -> dict[str, str]:
    """Return the paths of runs, or of other files, by name.

    An argument is a path, or ``NAME=PATH``. A run without a name has that of its file, or the whole
    path if names are alike. Messages call the arguments `argument`, and each file `noun`.
    """
    given = [_name_and_path(one) for one in arguments]
    paths = [path for _, path in given]
    if len(set(paths)) < len(paths):
        raise ArgumentError(argument, f"each {noun} only once", ", ".join(arguments))
    names = [name or _file_name(path) for name, path in given]
    if len(set(names)) < len(names):
        names = [name or path for name, path in given]
    if len(set(names)) < len(names):
        expected = f"a different name for each {noun}"
        raise ArgumentError(argument, expected, ", ".join(arguments))
    return dict(zip(names, paths, strict=True))


def _name_and_path(argument: str) -> tuple[str, str]:
    name, equals, path = argument.partition("=")
    is_named = name and equals and path and os.sep not in name
    return (name, path) if is_named and not os.path.exists(argument) else ("", argument)  # noqa: PTH110


def _file_name(path: str) -> str:
    return "standard input" if path == "-" else os.path.basename(path)  # noqa: PTH119


def baseline_or_run(path: str) -> RunSource:
    """Return the rankings of a baseline, or the path of a run."""
    from berryeval.evaluation.baseline import Baseline, is_baseline
    from berryeval.formats.lines import readable_again

    source = readable_again(path)
    return Baseline.read(source).to_run() if is_baseline(source) else source
