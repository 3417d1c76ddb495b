"""Files for tests of platforms."""

import json

import pytest


@pytest.fixture
def save(tmp_path):
    """Write a document of JSON, or text, and return its path."""

    def call(content, name="file", indent=None):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=indent))
        return path

    return call
