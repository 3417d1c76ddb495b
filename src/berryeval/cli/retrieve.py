"""``berryeval retrieve``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from berryeval.cli._logging import logging_options
from berryeval.cli._progress import progress_bar
from berryeval.cli._systems import chunks_option, limits_options, named_settings

if TYPE_CHECKING:
    from berryeval.core import Document
    from berryeval.core.run import Run
    from berryeval.search.collect import Collected
    from berryeval.search.journal import Journal

__all__ = ["command"]

SYSTEM_FAILED = 4
_SHOWN = 10  # errors; each may name its query


@click.command("retrieve")
@click.argument("system", metavar="SYSTEM")
@click.option("--queries", metavar="FILE", required=True, help="What to ask, or a BEIR folder.")
@click.option(
    "--documents",
    metavar="PATH",
    help="What to index first: a folder of Markdown or text, JSON lines, or a BEIR folder.",
)
@chunks_option
@click.option(
    "--questions",
    metavar="FILE",
    help='What people ask, indexed together with DOCUMENTS: {"document": ["question", …]}.',
)
@click.option(
    "--spans",
    metavar="FILE",
    help="Judgments of spans, or their golden set: write spans in place of the chunks of DOCUMENTS "
    "that answer for them, each span once.",
)
@click.option(
    "-k", type=click.IntRange(min=1), default=100, show_default=True, help="Documents a query."
)
@click.option(
    "-o", "--output", metavar="RUN", required=True, help="The run; `-` for TREC on stdout."
)
@click.option("--timings", metavar="FILE", help="Write how long each query took, too.")
@click.option(
    "-s",
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the system, such as weights=1,0.5; repeatable.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="What else to send over HTTP; repeatable.",
)
@limits_options
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Further tries after an error that may pass.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Ask everything so often; the further runs end in .2, .3 …",
)
@logging_options()
def command(
    system: str,
    queries: str,
    documents: str | None,
    chunks: str,
    questions: str | None,
    spans: str | None,
    k: int,
    output: str,
    timings: str | None,
    settings: tuple[str, ...],
    headers: tuple[str, ...],
    concurrency: int,
    timeout: float,
    retries: int,
    repeat: int,
) -> None:
    """Ask SYSTEM every query, and write a run.

    SYSTEM is bm25, vector or hybrid, which search DOCUMENTS inside this process; an address that
    begins with postgresql:// or http://; one of OpenSearch or Elasticsearch behind opensearch:;
    replay:RUN; module:function; or what another package brings. A query that fails is reported,
    is not in the run, and does not end the others. After Ctrl-C or a failure the same command
    goes on where it was: answers are kept in RUN.progress until all are there.

    \b
    berryeval retrieve hybrid --documents docs/ --queries queries.json -o hybrid.run
    berryeval retrieve bm25 --documents scifact/ --queries scifact/ -o bm25.jsonl -s title_weight=2
    berryeval retrieve opensearch:https://localhost:9200/docs -s template=query.json \\
      --queries queries.json -o opensearch.run
    berryeval retrieve my_search:find --queries queries.jsonl -o mine.run --timings mine.timings
    berryeval retrieve 'https://search.example/find?q={query}&n={k}' -s 'ids=results[*].id' \\
      --queries queries.json -o live.run
    berryeval retrieve hybrid --documents golden/test-documents --chunks size \\
      --spans golden/ --queries golden/test-queries.json -o by-size.run
    """
    from berryeval.core.inputs import refuse_input
    from berryeval.formats import read_queries, write_run
    from berryeval.formats.writing import format_of_name
    from berryeval.search.collect import Limits, collect
    from berryeval.search.opening import open_system
    from berryeval.search.system import can_index

    if output == "-" and repeat > 1:
        raise click.UsageError("--repeat writes several runs, so -o needs the name of a file.")
    if questions is not None and documents is None:
        raise click.UsageError("--questions needs --documents, which they are asked of.")
    format_of_name(output)  # refused before anything is asked
    credit = _crediting(spans, documents, chunks)
    asked = read_queries(queries)
    opened = open_system(
        system,
        named_settings(settings),
        queries=asked,
        headers=_named_headers(headers),
    )
    with opened:
        facts = {"k": str(k)}
        if questions is not None and not can_index(opened):
            raise click.UsageError(f"--questions are indexed, and {opened.name} takes none.")
        if documents is not None and (spans is None or can_index(opened)):
            facts["documents"] = _index(opened, documents, chunks, questions)
        facts |= opened.fingerprint()
        refuse_input(output)  # before queries are asked for nothing
        with _journal(output, facts) as journal, progress_bar("Retrieving") as progress:
            try:
                collected = collect(
                    opened,
                    asked,
                    k,
                    limits=Limits(concurrency, timeout, retries),
                    repeat=repeat,
                    journal=journal,
                    progress=progress,
                )
            except KeyboardInterrupt:
                _tell_interrupted(journal)
                raise
            for number, one in enumerate((collected, *collected.repeats), start=1):
                write_run(credit(one.run), _numbered(output, number))
            if timings is not None:
                _write_timings(collected, timings)
            failed = [one for one in (collected, *collected.repeats) if one.failures]
            if journal is not None and not failed:
                journal.delete()
    _tell(collected, output)
    if failed:
        _tell_failures(failed, output)
        raise click.exceptions.Exit(SYSTEM_FAILED)


def _named_headers(headers: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in headers:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise click.UsageError(f"--header takes 'NAME: VALUE', not {text!r}.")
        found[name.strip()] = value.strip()
    return found


def _crediting(spans: str | None, documents: str | None, chunks: str) -> Callable[[Run], Run]:
    """Return what turns chunks into the spans they answer for; nothing without spans."""
    if spans is None:
        return lambda run: run
    from berryeval.golden.span_crediting import read_crediting

    if documents is None:
        raise click.UsageError("--spans needs --documents, which the spans are pieces of.")
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

    return nullcontext() if output == "-" else Journal(f"{output}.progress", facts)


def _numbered(output: str, number: int) -> str:
    """Return the name of a run: ``a.run``, ``a.2.run``, …."""
    if number == 1:
        return output
    folder, name = os.path.split(output)
    stem, dot, ending = name.partition(".")
    return os.path.join(folder, f"{stem}.{number}{dot}{ending}")  # noqa: PTH118


def _write_timings(collected: Collected, path: str) -> None:
    from berryeval.core.files import write_whole

    write_whole(
        path,
        (
            json.dumps({"query_id": query_id, "ms": round(seconds * 1000, 3)}).encode() + b"\n"
            for query_id, seconds in collected.durations.items()
        ),
    )


def _tell(collected: Collected, output: str) -> None:
    n_queries = len(collected.durations)
    what = "1 query was" if n_queries == 1 else f"{n_queries:,} queries were"
    text = f"{what} answered with {collected.run.n_rows:,} documents"
    if n_queries:
        times = (f"p{p} {(collected.percentile(p) or 0) * 1000:.1f} ms" for p in (50, 95, 99))
        text += f"; {', '.join(times)}"
    click.echo(f"{text}.", err=output == "-")


def _tell_failures(failed: list[Collected], output: str) -> None:
    by_error: dict[str, list[str]] = {}
    for one in failed:
        for query_id, error in one.failures.items():
            by_error.setdefault(str(error), []).append(query_id)
    for error_text, query_ids in list(by_error.items())[:_SHOWN]:
        more = f" and {len(query_ids) - 1:,} more" if len(query_ids) > 1 else ""
        click.echo(f"query {query_ids[0]!r}{more} failed: {error_text}", err=True)
    n_failed = sum(map(len, by_error.values()))
    if len(by_error) > _SHOWN:
        n_untold = n_failed - sum(map(len, list(by_error.values())[:_SHOWN]))
        click.echo(f"… and {n_untold:,} more", err=True)
    again = "" if output == "-" else "; the same command asks for what is missing"
    what = "1 query failed, and is" if n_failed == 1 else f"{n_failed:,} queries failed, and are"
    click.echo(f"{what} not in the run{again}.", err=True)


def _tell_interrupted(journal: Journal | None) -> None:
    if journal is not None:
        n_answers = "1 answer is" if len(journal) == 1 else f"{len(journal):,} answers are"
        click.echo(f"{n_answers} kept; the same command goes on from there.", err=True)
