"""``berryeval archive``."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.group("archive")
def command() -> None:
    """Export, import and inspect an archive.

    ARCHIVE is a SQLite file or postgresql://user@host/database. Requires
    pip install 'berryeval[archive]', and berryeval[postgres] for PostgreSQL.
    """


@command.command("export")
@click.argument("archive")
@click.argument("folder")
def export(archive: str, folder: str) -> None:
    """Export ARCHIVE to a new FOLDER of plain files.

    Judgments with their history, queries, documents, baselines, gates, verdicts and stores are
    written as JSON lines, and runs as TREC files. The service can keep running. A damaged
    archive is not exported: the exit code is 5.

    \b
    berryeval archive export berryeval.db export/
    berryeval archive export postgresql://ada@db/eval export/
    """
    from berryeval.archive import Archive

    with Archive.open(archive, create=False) as opened:
        counts = opened.export(folder)
        click.echo(f"Exported {opened.name} to {folder}: {_shown(counts)}.")


@command.command("import")
@click.argument("folder")
@click.argument("archive")
def import_(folder: str, archive: str) -> None:
    """Import an exported FOLDER into a new or empty ARCHIVE.

    FOLDER is written by `archive export`. If any file is invalid, nothing is imported.

    \b
    berryeval archive import export/ copy.db
    berryeval archive import export/ postgresql://ada@db/eval
    """
    from berryeval.archive import Archive
    from berryeval.archive.importing import read_facts

    read_facts(folder)  # before an archive is made for nothing
    with Archive.open(archive) as opened:
        counts = opened.import_(folder)
        click.echo(f"Imported {folder} into {opened.name}: {_shown(counts)}.")


@command.command("info")
@click.argument("archive")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(archive: str, as_json: bool) -> None:
    """Report what ARCHIVE contains and check its integrity. Exit code 5 if it is damaged.

    \b
    berryeval archive info berryeval.db
    """
    from berryeval.archive import Archive
    from berryeval.archive.failures import damaged

    with Archive.open(archive, create=False) as opened:
        facts = opened.check(deep=True)
        name = opened.name
    if as_json:
        record = {
            "version": 2,
            "kind": "archive",
            "archive": name,
            "database": facts.database,
            "schema": facts.version,
            "size_bytes": facts.size_bytes,
            "problem": facts.problem,
            "rows": dict(sorted(facts.counts.items())),
        }
        click.echo(json.dumps(record, indent=1))
    else:
        click.echo(f"{name}: {facts.database}, version {facts.version}, {facts.size_bytes:,} bytes")
        width = max(map(len, facts.counts))
        for table, n_rows in sorted(facts.counts.items()):
            click.echo(f"  {table:<{width}}  {n_rows:,}")
    if facts.problem is not None:
        raise damaged(facts.problem, name)


def _shown(counts: dict[str, int]) -> str:
    shown = ("judgments.jsonl", "queries.jsonl", "runs.jsonl")
    return ", ".join(_counted(counts[name], name.removesuffix(".jsonl")) for name in shown)


def _counted(number: int, noun: str) -> str:
    one = {"queries": "query"}.get(noun, noun.removesuffix("s"))
    return f"{number:,} {one if number == 1 else noun}"
