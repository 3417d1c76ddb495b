"""Creates new archives with recorded statements, which takes a fifth of the time.

Hundreds of tests create an archive. In each process, migrations create the first one of each kind
of database; the others repeat the statements that were executed.
"""

from typing import Any

from sqlalchemy import Connection, event

from berryeval.archive import schema

__all__ = ["migrations", "record_schema"]

migrations = schema._upgrade
"""Creates or upgrades the schema of an archive, with all migrations that it needs."""

_recorded: dict[str, list[tuple[str, Any]]] = {}
_READS = ("SELECT", "PRAGMA")


def record_schema() -> None:
    """Let all archives that this process creates from now on share one run of the migrations."""
    schema._upgrade = _upgrade


def _upgrade(connection: Connection) -> None:
    if schema.version_of(connection) is not None:
        migrations(connection)
        return
    statements = _recorded.get(connection.dialect.name)
    if statements is None:
        statements = _record(connection)
        _recorded[connection.dialect.name] = statements
        return
    for statement, values in statements:
        connection.exec_driver_sql(statement, values or None)


def _record(connection: Connection) -> list[tuple[str, Any]]:
    statements = []

    def note(_connection, _cursor, statement, values, _context, _is_many):
        if not statement.lstrip().startswith(_READS):
            statements.append((statement, values))

    event.listen(connection, "before_cursor_execute", note)
    migrations(connection)
    event.remove(connection, "before_cursor_execute", note)
    return statements
