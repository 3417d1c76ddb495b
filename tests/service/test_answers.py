"""Records as JSON."""

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from types import MappingProxyType, SimpleNamespace

import pytest

from berryeval.service.answers import Shape, json_bytes


class Named(Shape):
    """A record with a name."""

    name: str
    size: int
    note: str = ""


def test_a_response_takes_its_fields_from_records_by_name():
    """Explicit values come first, then the first record with the field; others are left out."""
    first, second = SimpleNamespace(name="a", other=1), SimpleNamespace(name="b", size=2)
    assert Named.of(first, second) == {"name": "a", "size": 2}
    assert Named.of(first, size=None, note="x") == {"name": "a", "size": None, "note": "x"}


def test_a_field_that_no_record_has_is_a_bug():
    """A renamed attribute raises an error."""
    with pytest.raises(AttributeError, match=r"Named\.size"):
        Named.of(SimpleNamespace(name="a"))


@dataclass(frozen=True, slots=True)
class Point:
    """A time with labels."""

    at: datetime
    tags: tuple[str, ...]


def test_records_become_json():
    """Times are ISO 8601, mappings and dataclasses are objects."""
    point = Point(datetime(2026, 11, 16, tzinfo=timezone.utc), ("x",))
    found = json.loads(json_bytes({"points": [point], "kept": MappingProxyType({"a": 1})}))
    assert found == {
        "points": [{"at": "2026-11-16T00:00:00+00:00", "tags": ["x"]}],
        "kept": {"a": 1},
    }
    with pytest.raises(TypeError, match="no JSON for object"):
        json_bytes(object())
