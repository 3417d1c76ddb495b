"""``berryeval serve``."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from berryeval.cli._logging import logging_options
from berryeval.cli._settings import archive_option, config_option, load_settings
from berryeval.core.inputs import release_inputs

if TYPE_CHECKING:
    from berryeval.archive import Archive

__all__ = ["command"]


@click.command("serve", short_help="Serve the archive over HTTP.")
@config_option
@click.option(
    "--host",
    metavar="ADDRESS",
    envvar="BERRYEVAL_HOST",
    help="Address to listen on; any but loopback requires tokens.  [default: 127.0.0.1]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    envvar="BERRYEVAL_PORT",
    help="Port to listen on; 0 picks a free one.  [default: 8765]",
)
@archive_option
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Host name, in addition to localhost, that requests without a token may use. Repeatable.",
)
@click.option(
    "--search-host",
    "search_hosts",
    multiple=True,
    metavar="HOST",
    help="Host that systems registered by administrators may reach: a name, an address or a "
    "network, with or without a port. Repeatable.",
)
@click.option(
    "--require-token",
    "is_token_required",
    is_flag=True,
    default=None,
    help="Require a token on loopback, too.",
)
@click.option(
    "--max-body",
    "max_body_mb",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Maximum size of a request body.  [default: 32]",
)
@click.option(
    "--max-upload",
    "max_upload_mb",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Maximum size of an uploaded run, compressed or decompressed.  [default: 2048]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Seconds before a request fails with 504.  [default: 60]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Number of processes that serve requests.  [default: 1]",
)
@click.option(
    "--demo",
    "is_demo",
    is_flag=True,
    help="Serve the bundled golden set and a month of invented runs, from a temporary archive or "
    "an empty one named by --archive.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the workbench in the browser.")
@logging_options(level="info", format="json")
@click.pass_context
def command(
    context: click.Context,
    /,
    config: str | None,
    is_demo: bool,
    is_opened: bool,
    **flags: Any,  # noqa: ANN401 - as many as options
) -> None:
    """Serve judgments, runs, evaluations, comparisons and gates over HTTP.

    All data is kept in the archive: a SQLite file, created if it does not exist, or a PostgreSQL
    database. By default only this machine can connect; with another --host, clients need a token
    (`berryeval token create`). The log is one JSON object per line, on standard error.

    \b
    berryeval serve
    berryeval serve --demo --open
    berryeval serve --archive postgresql://berryeval@db/quality --port 9000
    berryeval serve --host 0.0.0.0 --workers 4
    """
    from berryeval.errors import MissingExtraError

    settings = load_settings(config, {})
    release_inputs()
    try:
        from berryeval.archive import Archive
        from berryeval.service.processes.supervisor import check_support
        from berryeval.service.server import check_tokens, listen, serve, serve_with_workers
        from berryeval.service.settings import ServiceSettings, service_settings
    except (ModuleNotFoundError, MissingExtraError):  # this extra includes that of the archive
        raise MissingExtraError("The service", "service") from None
    chosen = service_settings(settings.service, settings.systems, flags)
    check_support(chosen.workers)
    with ExitStack() as opened:
        listener = opened.enter_context(listen(chosen))  # first: a busy port creates no archive
        if is_demo and context.get_parameter_source("archive") != ParameterSource.COMMANDLINE:
            folder = opened.enter_context(TemporaryDirectory(prefix="berryeval-demo-"))
            chosen = replace(chosen, archive=str(Path(folder) / "demo.db"))
        archive = opened.enter_context(Archive.open(chosen.archive))
        name = archive.name  # without a password
        if is_demo:
            click.echo("Searching the golden set and inventing a month of runs…", err=True)
        demonstrated = _fill(archive) if is_demo else None
        if is_demo and chosen.measures == ServiceSettings().measures:
            from berryeval.service.demo import MEASURES

            chosen = replace(chosen, measures=MEASURES)

        def announce(address: str) -> None:
            if demonstrated is None:
                click.echo(f"Workbench: {address}, API: {address}/docs, archive: {name}")
            else:
                click.echo(f"{demonstrated[0]} are in {name}; open {address}")
                for line in demonstrated[1:]:
                    click.echo(line)
            if is_opened:
                # A browser may start slowly, and would delay the first requests.
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        if chosen.workers == 1:
            serve(archive, chosen, listener, announce)
        else:
            check_tokens(archive, chosen)
            archive.close()  # each worker opens it, as processes cannot share a connection
            reopen = partial(Archive.open, chosen.archive)
            serve_with_workers(chosen, listener, reopen, announce)
    click.echo("Stopped.")


def _fill(archive: Archive) -> list[str]:
    """Fill an archive with the demonstration, and return what it consists of, line by line."""
    import logging

    from berryeval.service.demo import fill_demo

    logging.disable(logging.INFO)  # the demo's own searches are not requests
    try:
        facts = fill_demo(archive)
    finally:
        logging.disable(logging.NOTSET)
    lines = [
        f"{facts.n_queries} queries, {facts.n_judgments:,} judged pairs, and a month of "
        f"{facts.n_runs} invented runs with {facts.n_verdicts} verdicts"
    ]
    if facts.is_searched:
        figures = ", ".join(f"{name} {mean:.4f}" for name, mean in facts.ndcg.items())
        lines.append(
            f"Documents are indexed with questions, and once without them; nDCG@10: {figures}."
        )
    return lines
