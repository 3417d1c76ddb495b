"""``berryeval retrieve``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from berryeval.cli import SYSTEM_FAILED
from berryeval.cli._logging import logging_options
from berryeval.cli._output import check_outputs
from berryeval.cli._settings import config_option, read_project
from berryeval.cli._systems import (
    address_for,
    chunks_option,
    limits_of,
    limits_options,
    named_settings,
    one_system,
    progress_bar,
    split_option,
    suggested,
    system_options,
)

if TYPE_CHECKING:
    from berryeval.core import Document, Query
    from berryeval.core.run import Run
    from berryeval.search.collect import Collected
    from berryeval.search.journal import Journal
    from berryeval.search.system import System
    from berryeval.suite.settings import Settings

__all__ = ["command"]

_SHOWN = 10  # errors; each may name its query


@click.command("retrieve")
@click.argument("place", metavar="", required=False)
@config_option
@click.option(
    "--system",
    metavar="SYSTEM",
    help="System to query, in one of the forms above.  [default: that of the settings file]",
)
@click.option(
    "--queries",
    metavar="FILE",
    help="Queries file, or the folder of a golden set or a BEIR folder.  "
    "[default: those of the settings file]",
)
@click.option(
    "--judged-only",
    is_flag=True,
    help="Send only queries that are judged, in --judgments or in the folder named by --queries.",
)
@click.option(
    "--judgments",
    metavar="FILE",
    help="Judgments for --judged-only and --split, or a folder that contains them.",
)
@split_option
@click.option(
    "--documents",
    metavar="PATH",
    help="Documents to index first: a folder of Markdown or text, JSON lines, or the folder of a "
    "golden set or a BEIR folder.",
)
@chunks_option
@click.option(
    "--questions",
    metavar="FILE",
    help='Questions to index together with DOCUMENTS: {"document": ["question", …]}.',
)
@click.option(
    "--spans",
    metavar="FILE",
    help="Judgments of spans, or a golden set that contains them: write each judged span once, in "
    "place of the chunks of DOCUMENTS that cover it.",
)
@click.option(
    "-k", type=click.IntRange(min=1), default=100, show_default=True, help="Documents per query."
)
@click.option(
    "-o",
    "--output",
    metavar="RUN",
    required=True,
    help="Run file to write; `-` writes TREC to standard output.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Write RUN as a folder of N Parquet files, each with whole queries, as Spark reads them.",
)
@click.option("--timings", metavar="FILE", help="Also write the time per query to this file.")
@system_options
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="HTTP header to send. Repeatable.",
)
@limits_options
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Number of retries after a temporary error.",
)
@click.option(
    "--repeat",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeat every query N times; extra runs get the suffixes .2, .3 …",
)
@click.option(
    "--max-failed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Number of queries that may fail; if more fail, no run is written and the exit code is 4.",
)
@logging_options()
def command(
    place: str | None,
    config: str | None,
    system: str | None,
    queries: str | None,
    judged_only: bool,
    judgments: str | None,
    split: str | None,
    documents: str | None,
    chunks: str | None,
    questions: str | None,
    spans: str | None,
    k: int,
    output: str,
    partitions: int | None,
    timings: str | None,
    dsn: str | None,
    settings: tuple[str, ...],
    headers: tuple[str, ...],
    concurrency: int,
    timeout: float,
    retries: int,
    repeat: int,
    max_failed: int,
) -> None:
    """Send every query to SYSTEM, and write a run.

    SYSTEM is bm25, vector or hybrid, which search DOCUMENTS in this process; an address that
    starts with postgresql:// or http://, or postgres with --dsn; opensearch: followed by an
    OpenSearch or Elasticsearch address; replay:RUN; module:function; or a system from another
    package. The system and its settings, the queries, and the documents of the system are those of
    berryeval.toml unless options name others.

    RUN is written, and an existing file replaced, only when the run is complete: at most
    --max-failed queries failed, and at least one document was found. Otherwise the exit code is 4.
    --split sends only the queries that are judged in one split of a BEIR folder, and --judged-only
    only those that are judged at all: others cannot be scored.

    After Ctrl-C or a failure, repeat the command to continue: answers are kept in RUN.progress
    until the run is complete.

    \b
    berryeval retrieve --system hybrid --documents docs/ --queries queries.json -o hybrid.run
    berryeval retrieve --system bm25 -s title_weight=2 --documents scifact/ --queries scifact/ \\
      --split test -o bm25.jsonl
    berryeval retrieve --system opensearch:https://localhost:9200/docs -s template=query.json \\
      --queries queries.json -o opensearch.run
    berryeval retrieve --system my_search:find --queries queries.jsonl -o mine.run
    berryeval retrieve --system 'https://search.example/find?q={query}&n={k}' \\
      -s 'ids=results[*].id' --queries queries.json -o live.run --timings live.timings
    berryeval retrieve --system hybrid --documents golden/ --chunks size --spans golden/ \\
      --queries golden/ -o by-size.run
    berryeval retrieve --system my_search:find --queries log.jsonl -o log.parquet --partitions 64
    """
    from berryeval.search.collect import collect
    from berryeval.search.system import check_documents
    from berryeval.suite.candidates import open_project_system

    project = read_project(config)
    system = one_system(place, system, project.system)
    queries, judgments = _sources(project, queries, judgments, is_judged=judged_only or bool(split))
    _check_usage(output, repeat, documents, questions, partitions)
    output = output if partitions is None else output.rstrip(os.sep)
    outputs = _outputs(output, repeat, timings)
    _check_names(outputs, output)
    is_cut = chunks is not None or spans is not None
    chunks = chunks or _chunking(documents)
    credit = _crediting(spans, documents, chunks)
    asked = _read_queries(queries, judgments, split, judged_only=judged_only)
    opened = open_project_system(
        project,
        asked,
        place=system,
        own_settings=named_settings(settings),
        dsn=address_for(system, dsn),
        headers=_named_headers(headers),
    )
    with opened:
        if documents is None and _has_documents_of(project, opened, system):
            documents, questions = project.documents, questions or project.questions
        facts = {"k": str(k)}
        _check_questions(opened, questions)
        if documents is not None and (spans is None or opened.can_index):
            facts["documents"] = _index(opened, documents, chunks, questions)
        check_documents(opened, "name them with --documents")
        facts |= opened.fingerprint()
        _refuse_inputs(outputs)  # before queries are sent in vain
        with _journal(output, facts) as journal, progress_bar("Retrieving") as progress:
            try:
                collected = collect(
                    opened,
                    asked,
                    k,
                    limits=limits_of(concurrency, timeout, max_failed, retries),
                    repeat=repeat,
                    journal=journal,
                    progress=progress,
                )
            except KeyboardInterrupt:
                _report_interrupted(journal)
                raise
            passes = (collected, *collected.repeats)
            n_found = sum(one.run.n_rows for one in passes)
            n_failed = sum(len(one.failures) for one in passes)
            is_complete = n_found > 0 and n_failed <= max_failed
            if is_complete:
                if system == project.system and not is_cut:
                    _check_judged(project, opened, collected.run, journal)
                _write(passes, credit, output, timings, partitions)
            # Empty answers are not worth keeping: the index may be filled before the next try.
            if journal is not None and (is_complete or n_found == 0):
                journal.delete()
    _report_answers(collected, passes, opened, output)
    if not is_complete:
        n_answered = sum(len(one.durations) for one in passes)
        _report_incomplete(opened.name, output, n_found, n_failed, n_answered)
        raise click.exceptions.Exit(SYSTEM_FAILED)
    if n_failed:
        click.echo(
            f"{_count_failed(n_failed)}; the run does not contain {_them(n_failed)}.", err=True
        )


def _check_usage(
    output: str,
    repeat: int,
    documents: str | None,
    questions: str | None,
    partitions: int | None,
) -> None:
    if output == "-" and repeat > 1:
        raise click.UsageError("--repeat writes several runs; give -o a file name.")
    if output == "-" and partitions is not None:
        raise click.UsageError("--partitions writes a folder; give -o its name.")
    if questions is not None and documents is None:
        raise click.UsageError("--questions requires --documents.")


def _named_headers(headers: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in headers:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise click.UsageError(f"--header takes 'NAME: VALUE', not {text!r}.")
        found[name.strip()] = value.strip()
    return found


def _chunking(documents: str | None) -> str:
    """Return the chunking that a golden set declares; otherwise text is split by heading."""
    from berryeval.golden.chunked import declared_chunking

    return (None if documents is None else declared_chunking(documents)) or "heading"


def _sources(
    project: Settings, queries: str | None, judgments: str | None, *, is_judged: bool
) -> tuple[str, str | None]:
    """Return the files of queries and judgments: those that are named, else the project's."""
    if queries is not None:
        return queries, judgments
    if project.queries is None:
        raise click.UsageError(
            "Name a file of queries: --queries FILE, or queries = ... in berryeval.toml."
        )
    return project.queries, judgments or (project.judgments if is_judged else None)


def _has_documents_of(project: Settings, opened: System, place: str) -> bool:
    """Whether a system searches the documents of the settings file: its own, or in memory."""
    return opened.can_index and (place == project.system or opened.needs_documents)


def _check_questions(opened: System, questions: str | None) -> None:
    if questions is not None and not opened.can_index:
        raise click.UsageError(
            f"--questions requires a system that indexes documents; {opened.name} does not."
        )


def _check_judged(project: Settings, system: System, run: Run, journal: Journal | None) -> None:
    """Raise as a gate does, if no document that the project's system returned is judged."""
    from berryeval.errors import MismatchError
    from berryeval.evaluation.sources import load_judgments
    from berryeval.suite.candidates import judged_units
    from berryeval.suite.known_ids import check_any_judged

    if project.judgments is None or not os.path.exists(project.judgments):  # noqa: PTH110
        return  # answers may be collected before they are judged
    judgments = load_judgments(project.judgments, "error", project.judges)
    if not any(query_id in run.query_ids for query_id in judgments.query_ids):
        return  # other queries, such as those of a log
    converted = judged_units(project, judgments, system.places)(run)
    try:
        check_any_judged(judgments, converted, system.name, system.likely_id)
    except MismatchError:
        if journal is not None:
            journal.delete()  # a setting has to be changed, and these answers do not have it
        raise


def _read_queries(
    queries: str, judgments: str | None, split: str | None, *, judged_only: bool
) -> list[Query]:
    """Read the queries to send: all, or those that are judged in a file or in a split."""
    from berryeval.formats import read_queries
    from berryeval.golden.judged_queries import read_judged_queries

    if judged_only or split is not None:
        return read_judged_queries(queries, judgments, split=split)
    if judgments is not None:
        raise click.UsageError("--judgments requires --judged-only or --split.")
    return read_queries(queries)


def _crediting(spans: str | None, documents: str | None, chunks: str) -> Callable[[Run], Run]:
    """Return what turns chunks into the spans they answer for; nothing without spans."""
    if spans is None:
        return lambda run: run
    from berryeval.golden.span_crediting import read_crediting

    if documents is None:
        raise click.UsageError("--spans requires --documents.")
    return read_crediting(spans, documents, chunks)


def _index(system: object, path: str, chunks: str, questions: str | None) -> str:
    """Index documents, and return a hash of them: answers depend on it."""
    import hashlib

    from berryeval.search.documents import iter_any_documents
    from berryeval.search.system import System

    assert isinstance(system, System)
    digest = hashlib.sha256()

    def noted() -> Iterator[Document]:
        for document in iter_any_documents(path, chunks, questions):
            record = json.dumps([document.doc_id, document.title, document.text])
            digest.update(record.encode() + b"\n")
            yield document

    with progress_bar("Indexing"):
        system.index(noted())
    return digest.hexdigest()[:16]


def _journal(output: str, facts: dict[str, str]) -> Journal | nullcontext[None]:
    from berryeval.search.journal import Journal

    return nullcontext() if output == "-" else Journal(_progress(output), facts)


def _progress(output: str) -> str:
    """Return the file in which answers are kept until the run is complete."""
    return f"{output}.progress"


def _outputs(output: str, repeat: int, timings: str | None) -> list[str]:
    """Return every file that the command writes."""
    runs = [_numbered(output, number) for number in range(1, repeat + 1)]
    files = [] if output == "-" else [*runs, _progress(output)]
    return files if timings is None else [*files, timings]


def _check_names(outputs: Iterable[str], output: str) -> None:
    """Reject names before any query is sent."""
    from berryeval.formats.writing import format_of_name

    check_outputs(outputs)
    format_of_name(output)


def _refuse_inputs(outputs: Iterable[str]) -> None:
    from berryeval.core.inputs import refuse_input

    for name in outputs:
        refuse_input(name)


def _numbered(output: str, number: int) -> str:
    """Return the name of a run: ``a.run``, ``a.2.run``, …."""
    if number == 1:
        return output
    folder, name = os.path.split(output)
    stem, dot, ending = name.partition(".")
    return os.path.join(folder, f"{stem}.{number}{dot}{ending}")  # noqa: PTH118


def _write(
    passes: Sequence[Collected],
    credit: Callable[[Run], Run],
    output: str,
    timings: str | None,
    partitions: int | None,
) -> None:
    from berryeval.formats import write_run

    for number, one in enumerate(passes, start=1):
        write_run(credit(one.run), _numbered(output, number), partitions=partitions)
    if timings is not None:
        _write_timings(passes[0], timings)


def _write_timings(collected: Collected, path: str) -> None:
    from berryeval.core.files import write_whole
    from berryeval.formats.timings import timings_to_lines

    write_whole(path, timings_to_lines(collected.run.milliseconds or {}))


def _report_answers(
    collected: Collected, passes: Iterable[Collected], system: System, output: str
) -> None:
    _report(collected, output)
    _report_documents(system)
    _report_hashes(system)
    _report_failures(passes)


def _report(collected: Collected, output: str) -> None:
    n_queries = len(collected.durations)
    what = "1 query was" if n_queries == 1 else f"{n_queries:,} queries were"
    n_rows = collected.run.n_rows
    text = f"{what} answered with {'1 document' if n_rows == 1 else f'{n_rows:,} documents'}"
    n_empty = n_queries - sum(bool(rows) for _, rows in collected.run.iter_queries())
    if 0 < n_empty < n_queries:
        text += f", {n_empty:,} of them with none"
    if n_queries:
        times = (f"p{p} {(collected.percentile(p) or 0) * 1000:.1f} ms" for p in (50, 95, 99))
        text += f"; {', '.join(times)}"
    click.echo(f"{text}.", err=output == "-")


def _report_documents(system: System) -> None:
    """Report how to write documents, if the ids are those of chunks of them."""
    for chunk_id, place in system.places.items():
        for field, document in place.sources.items():
            if document != chunk_id:
                such_as = f"such as {chunk_id!r} of {document!r}"
                way_out = f"to write documents, add -s id={field}"
                click.echo(f"The ids are those of chunks, {such_as}; {way_out}.", err=True)
                return


def _report_hashes(system: System) -> None:
    """Report that documents are identified by their texts, and how to name their ids."""
    if system.likely_id is not None:
        way_out = suggested(system.likely_id, click.get_current_context().command)
        text = "Hits have no ids, so each document is identified by a hash of its text; name the "
        click.echo(
            f"{text}field that identifies a document with the setting id{way_out}.", err=True
        )


def _report_failures(passes: Iterable[Collected]) -> None:
    by_error: dict[str, list[str]] = {}
    for one in passes:
        for query_id, error in one.failures.items():
            way_out = suggested(error.setting, click.get_current_context().command)
            by_error.setdefault(f"{error}{way_out}", []).append(query_id)
    for error_text, query_ids in list(by_error.items())[:_SHOWN]:
        more = f" and {len(query_ids) - 1:,} more" if len(query_ids) > 1 else ""
        click.echo(f"query {query_ids[0]!r}{more} failed: {error_text}", err=True)
    n_failed = sum(map(len, by_error.values()))
    if len(by_error) > _SHOWN:
        n_more = n_failed - sum(map(len, list(by_error.values())[:_SHOWN]))
        click.echo(f"… and {n_more:,} more", err=True)


def _report_incomplete(
    system: str, output: str, n_found: int, n_failed: int, n_answered: int
) -> None:
    """Return why no run was written, and how to fix it."""
    if output == "-":
        left = "no run was written"
    else:
        is_kept = os.path.exists(output)  # noqa: PTH110 - pathlib is slow to import
        left = f"{output} was not {'replaced' if is_kept else 'written'}"
    why = _count_failed(n_failed)
    if n_answered == 0:
        text = f"Every query failed; {left}."
    elif n_found == 0:
        others = f"{why}, and the others" if n_failed else f"{system}: the queries"
        text = f"{others} found no documents; {left}. Check that the right documents are indexed."
    else:
        again = "" if output == "-" else "Repeat the command to retry only the failed queries, or "
        ways_out = f"{again}accept the run without {_them(n_failed)} with --max-failed {n_failed}"
        text = f"{why}; {left}. {ways_out[0].upper()}{ways_out[1:]}."
    click.echo(text, err=True)


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _count_failed(n_failed: int) -> str:
    return "1 query failed" if n_failed == 1 else f"{n_failed:,} queries failed"


def _report_interrupted(journal: Journal | None) -> None:
    if journal is not None:
        n_answers = "1 answer is" if len(journal) == 1 else f"{len(journal):,} answers are"
        click.echo(f"{n_answers} kept; repeat the command to continue.", err=True)
