"""``berryeval archive``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from berryeval.archive.records import ArchiveFacts

__all__ = ["command"]


@click.group("archive")
def command() -> None:
    """Export, import and inspect archives and collections.

    ARCHIVE is a SQLite file or postgresql://user@host/database. Requires
    pip install 'berryeval[archive]', and berryeval[postgres] for PostgreSQL.
    """


@command.command("export")
@click.argument("archive")
@click.argument("folder")
def export(archive: str, folder: str) -> None:
    """Export ARCHIVE to a new FOLDER of plain files.

    Judgments with their history, queries, documents, baselines, gates, verdicts and stores are
    written as JSON lines, and runs as TREC files; further collections are in folders of their
    own. The service can keep running. A damaged archive is not exported: the exit code is 5.

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

    read_facts(folder)  # before an archive is created for nothing
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
        others = {}
        for stored in opened.collections.all()[1:]:
            with opened.open_collection(stored) as other:
                others[stored.name] = other.name, other.check(deep=True)
    if as_json:
        record = {
            "version": 2,
            "kind": "archive",
            "archive": name,
            "database": facts.database,
            "schema": facts.version,
            **_contents(facts),
            "collections": {key: _contents(found) for key, (_, found) in others.items()},
        }
        click.echo(json.dumps(record, indent=1))
    else:
        click.echo(f"{name}: {facts.database}, version {facts.version}, {facts.size_bytes:,} bytes")
        _show_rows(facts)
        for key, (_, found) in others.items():
            click.echo(f"Collection {key}: {found.size_bytes:,} bytes")
            _show_rows(found)
    for place, found in [(name, facts), *others.values()]:
        if found.problem is not None:
            raise damaged(found.problem, place)


def _contents(facts: ArchiveFacts) -> dict[str, Any]:
    return {
        "size_bytes": facts.size_bytes,
        "problem": facts.problem,
        "rows": dict(sorted(facts.counts.items())),
    }


def _show_rows(facts: ArchiveFacts) -> None:
    width = max(map(len, facts.counts))
    for table, n_rows in sorted(facts.counts.items()):
        click.echo(f"  {table:<{width}}  {n_rows:,}")


@command.group("collections")
def collections() -> None:
    """List, add and remove the collections of an archive.

    A collection is a golden set with its runs and gates, apart from all others. The first,
    named default, is the archive itself.

    \b
    berryeval archive collections list berryeval.db
    berryeval archive collections add berryeval.db shop --title "Shop"
    berryeval archive collections remove berryeval.db shop
    """


@collections.command("list")
@click.argument("archive")
def list_collections(archive: str) -> None:
    """List the collections of ARCHIVE.

    \b
    berryeval archive collections list berryeval.db
    """
    from berryeval.archive import Archive
    from berryeval.reports.layout import Table
    from berryeval.reports.terminal import show_table

    with Archive.open(archive, create=False) as opened:
        found = opened.collections.all()
    rows = tuple(
        (one.name, one.title, "" if one.created_at is None else f"{one.created_at:%Y-%m-%d %H:%M}")
        for one in found
    )
    show_table(Table("", ("name", "title", "created (UTC)"), rows))


@collections.command("add")
@click.argument("archive")
@click.argument("name")
@click.option("--title", metavar="TEXT", help="Title on pages.  [default: NAME]")
def add_collection(archive: str, name: str, title: str | None) -> None:
    """Add the collection NAME to ARCHIVE, or change the title of an existing one.

    NAME has lower-case letters, digits, dashes and underscores. A running service finds it on
    the next request.

    \b
    berryeval archive collections add berryeval.db shop --title "Shop"
    """
    from berryeval.archive import Archive

    with Archive.open(archive, create=False) as opened:
        if title is not None and opened.collections.get(name) is not None:
            opened.collections.retitle(name, title)
            click.echo(f"Changed the title of the collection {name}.")
        else:
            opened.collections.create(name, title)
            click.echo(f"Added the collection {name}.")


@collections.command("remove")
@click.argument("archive")
@click.argument("name")
@click.option("--yes", "is_confirmed", is_flag=True, help="Do not ask for confirmation.")
def remove_collection(archive: str, name: str, is_confirmed: bool) -> None:
    """Remove the collection NAME from ARCHIVE with everything in it.

    Its documents, queries, judgments, runs and gates cannot be restored. Tokens that are limited
    to it can no longer use it.

    \b
    berryeval archive collections remove berryeval.db shop
    """
    from berryeval.archive import Archive

    with Archive.open(archive, create=False) as opened:
        if opened.collections.get(name) is not None and not is_confirmed:
            question = f"Remove the collection {name} with everything in it?"
            click.confirm(question, abort=True)
        opened.collections.remove(name)
    click.echo(f"Removed the collection {name}.")


def _shown(counts: dict[str, int]) -> str:
    shown = ("judgments.jsonl", "queries.jsonl", "runs.jsonl")
    found = ", ".join(_counted(counts[name], name.removesuffix(".jsonl")) for name in shown)
    others = [name.split("/")[1] for name in counts if name.endswith("/judgments.jsonl")]
    return f"{found}; further collections: {', '.join(others)}" if others else found


def _counted(number: int, noun: str) -> str:
    one = {"queries": "query"}.get(noun, noun.removesuffix("s"))
    return f"{number:,} {one if number == 1 else noun}"
