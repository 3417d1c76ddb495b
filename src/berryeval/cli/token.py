"""``berryeval token``: access to the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from berryeval.cli._settings import archive_option, config_option, load_settings

if TYPE_CHECKING:
    from datetime import datetime

    from berryeval.archive import Archive
    from berryeval.archive.records import Role

__all__ = ["command"]

_COLUMNS = ("name", "role", "collections", "created (UTC)", "used (UTC)", "revoked (UTC)")


@click.group("token")
def command() -> None:
    """Create, list and revoke the tokens of a service.

    \b
    berryeval token create ci --role judge
    berryeval token list
    berryeval token revoke ci
    """


@command.command("create")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["read", "judge", "admin"]),
    default="read",
    show_default=True,
    help="read can view and compare everything; judge can also add queries, judgments, runs and "
    "verdicts; admin can also set baselines and gates, and delete.",
)
@click.option(
    "--collection",
    "collections",
    multiple=True,
    metavar="NAME",
    help="Collection that the token may use. Repeatable.  [default: all, including later ones]",
)
@archive_option
@config_option
def create(
    name: str, role: Role, collections: tuple[str, ...], archive: str | None, config: str | None
) -> None:
    """Create a token for NAME and print it. It is shown only once; only its hash is stored.

    \b
    berryeval token create ci --role judge
    berryeval token create shop-ci --role judge --collection shop
    """
    with _opened(archive, config, create=True) as opened:
        click.echo(opened.tokens.create(name, role, collections or None))


@command.command("list")
@archive_option
@config_option
def list_tokens(archive: str | None, config: str | None) -> None:
    """List all tokens, including revoked ones.

    \b
    berryeval token list
    """
    from berryeval.reports.layout import Table
    from berryeval.reports.terminal import show_table

    rows = []
    with _opened(archive, config, create=False) as opened:
        after, is_last = None, False
        while not is_last:
            page = opened.tokens.page(after=after, limit=1000)
            after, is_last = page.next, page.next is None
            rows += [
                (
                    token.name,
                    token.role,
                    "all" if token.collections is None else " ".join(token.collections) or "none",
                    *map(_shown, (token.created_at, token.used_at, token.revoked_at)),
                )
                for token in page.items
            ]
    notes = () if rows else ("No tokens yet; create one with: berryeval token create NAME",)
    show_table(Table("", _COLUMNS, tuple(rows), notes))


def _shown(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


@command.command("revoke")
@click.argument("name")
@archive_option
@config_option
def revoke(name: str, archive: str | None, config: str | None) -> None:
    """Revoke the token of NAME.

    A running service rejects it within five seconds.

    \b
    berryeval token revoke ci
    """
    from berryeval.errors import NotFoundError

    with _opened(archive, config, create=False) as opened:
        if not opened.tokens.revoke(name):
            raise NotFoundError("token", name)
    click.echo(f"Revoked the token of {name}.")


@contextmanager
def _opened(archive: str | None, config: str | None, *, create: bool) -> Iterator[Archive]:
    from berryeval.archive import Archive
    from berryeval.service.settings import service_settings

    settings = load_settings(config, {})
    chosen = service_settings(settings.service, settings.systems, {"archive": archive})
    with Archive.open(chosen.archive, create=create) as opened:
        yield opened
