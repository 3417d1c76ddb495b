"""Options of commands that put systems under test, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.search.collect import Limits

__all__ = [
    "address_for",
    "chunks_option",
    "golden_option",
    "limits_of",
    "limits_options",
    "load_golden_set",
    "named_settings",
    "no_questions_option",
    "one_system",
    "parts_options",
    "progress_bar",
    "split_option",
    "suggested",
    "system_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])


chunks_option = click.option(
    "--chunks",
    metavar="HOW",
    help="How to split Markdown and text: heading, paragraph, size, document (one chunk per file), "
    'or a file with the positions of a system\'s own chunks, one {"chunk_id": "7", "document": '
    '"a.md", "start": 0, "end": 80} per line.  [default: as the golden set declares, else heading]',
)


golden_option = click.option(
    "--golden",
    metavar="FOLDER",
    help="Golden set, or a BEIR folder.  [default: the bundled one]",
)


def parts_options(command: Command) -> Command:
    """Give a command ``--documents``, ``--queries``, ``--judgments`` and ``--split``."""
    documents = click.option(
        "--documents",
        metavar="PATH",
        help="Documents to use in place of those of the golden set: a folder of Markdown or text, "
        "or JSON lines.",
    )
    queries = click.option(
        "--queries", metavar="FILE", help="Queries to use in place of those of the golden set."
    )
    judgments = click.option(
        "--judgments",
        metavar="FILE",
        help="Judgments to use in place of those of the golden set, in any format.",
    )
    return documents(queries(judgments(split_option(command))))


split_option = click.option(
    "--split",
    metavar="NAME",
    help="Split of a BEIR folder, such as dev: the queries judged in qrels/dev.tsv.  "
    "[default: test]",
)


no_questions_option = click.option(
    "--no-questions",
    is_flag=True,
    help="Index only the chunks, without the questions of the golden set.",
)


def system_options(command: Command) -> Command:
    """Give a command ``--dsn`` and ``--set``."""
    dsn = click.option(
        "--dsn",
        envvar="BERRYEVAL_DSN",
        metavar="ADDRESS",
        help="PostgreSQL address for the postgres systems: postgresql://user@host/database.",
    )
    settings = click.option(
        "-s",
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Setting of the system, such as weights=1,0.5. Repeatable.",
    )
    return dsn(settings(command))


def one_system(place: str | None, system: str | None, of_project: str | None = None) -> str:
    """Return the system, which is an option, and used to be an argument; else the project's."""
    if place is None and system is None and of_project is not None:
        return of_project
    if (place is None) == (system is None):
        problem = "Name one system" if place is None else "Name the system only once"
        command = click.get_current_context().command_path
        raise click.UsageError(f"{problem}: {command} --system SYSTEM.")
    if place is not None:
        click.echo("The argument SYSTEM is now the option --system SYSTEM.", err=True)
    return place or system or ""


def address_for(name: str, dsn: str | None, beside: Iterable[str] = ()) -> str | None:
    """Return the address of PostgreSQL if the system needs one.

    ``BERRYEVAL_DSN`` may be set while other systems are tested, and ``--dsn`` may be for another
    system of the same command (`beside`). If it is for none of them, the address is returned, and
    opening the system reports the mistake.
    """
    from berryeval.search.opening import POSTGRES

    source = click.get_current_context().get_parameter_source("dsn")
    is_for_another = source is click.core.ParameterSource.ENVIRONMENT or any(
        other in POSTGRES for other in beside
    )
    return None if is_for_another and name not in POSTGRES else dsn


def limits_options(command: Command) -> Command:
    """Give a command ``--concurrency`` and ``--timeout``."""
    concurrency = click.option(
        "--concurrency",
        type=click.IntRange(min=1),
        default=4,
        show_default=True,
        help="Number of queries to send at once.",
    )
    timeout = click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=30.0,
        show_default=True,
        help="Seconds per query, including retries.",
    )
    return concurrency(timeout(command))


def limits_of(concurrency: int, timeout: float, max_failed: int, retries: int = 2) -> Limits:
    """Return the limits of a retrieval, which continues as long as enough queries may fail."""
    from berryeval.search.collect import Limits

    fewest = Limits().give_up_after or 0
    give_up_after = max(fewest, max_failed + 1)
    return Limits(concurrency, timeout, retries, give_up_after=give_up_after)


def named_settings(settings: Iterable[str]) -> dict[str, str]:
    """Return settings by name, or raise for one without a name."""
    found = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set takes NAME=VALUE, not {text!r}.")
        found[name.strip()] = value.strip()
    return found


def suggested(setting: str | None, command: click.Command) -> str:
    """Return, in brackets, where a command takes a setting that an error suggests."""
    if setting is None:
        return ""
    import shlex

    commands = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    names = {option.name for one in commands for option in one.params}
    if "settings" in names:
        return f" (add -s {shlex.quote(setting)})"
    if "config" in names:
        from berryeval.suite.settings import where_to_set

        return where_to_set(setting)
    return ""


def load_golden_set(
    path: str | None,
    *,
    documents: str | None = None,
    queries: str | None = None,
    judgments: str | None = None,
    split: str | None = None,
    strict: bool = True,
    chunks: str | None = None,
) -> GoldenSet:
    """Read a golden set; by default the bundled one, unless its parts are named."""
    from berryeval.golden.reading import HANDBOOK, read_golden_set

    if path is None and documents is None and queries is None and judgments is None:
        if split is not None:
            raise click.UsageError("--split requires a BEIR folder.")
        path = str(HANDBOOK)
    elif path is None and (queries is None or judgments is None):
        raise click.UsageError("Without a golden set, give both --queries and --judgments.")
    return read_golden_set(
        path,
        documents=documents,
        queries=queries,
        judgments=judgments,
        split=split,
        strict=strict,
        chunks=chunks,
    )


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal; yields a function of the number done and the total."""
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
