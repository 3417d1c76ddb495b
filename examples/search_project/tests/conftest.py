"""The search under test."""

import pytest
from plant_search import PlantSearch


@pytest.fixture(scope="session")
def berryeval_run() -> PlantSearch:
    """Return the search itself: the plugin asks it every judged query."""
    return PlantSearch()
