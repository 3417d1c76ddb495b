"""PostgreSQL as a system under test, with a separate table for each test."""

import uuid

import pytest

from berryeval.search.systems.postgres import Postgres
from search.contract import DOCUMENTS


@pytest.fixture(name="make")
def make_systems(postgres_dsn):
    """Create systems with separate tables, which are dropped afterwards."""
    made = []

    def made_with(mode="hybrid", documents=DOCUMENTS, **settings):
        system = Postgres(postgres_dsn, mode, table=f"t_{uuid.uuid4().hex}", **settings)
        made.append(system)
        if documents is not None:
            assert system.index(documents) == len(documents)
        return system

    yield made_with
    for system in made:
        system.close()
        with Postgres(postgres_dsn, "text", table=system.table) as again:
            again.drop()
