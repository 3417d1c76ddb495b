"""X9: log messages contain their facts."""

import logging
import math
from pathlib import Path

import pytest

import berryeval
from berryeval.core.events import event_logger

SOURCE = Path(berryeval.__file__).parent
WITHOUT_FACTS = {
    "core/events.py", "cli/_logging.py", "cli/demo.py", "service/processes/supervisor.py",
}  # fmt: skip
"""Modules that set up loggers, and log nothing themselves."""


def test_facts_are_in_the_message_and_on_the_record(caplog):
    """X9: people read the message, and structured formatters use event and attributes."""
    with caplog.at_level(logging.INFO, "berryeval.example"):
        event_logger("berryeval.example").info("measured", extra={"P@5": 0.25, "queries": 2})
        event_logger("berryeval.example").debug("nobody asked", extra={"a": 1})
    (record,) = caplog.records
    assert record.getMessage() == "measured P@5=0.250 queries=2"
    assert (record.event, vars(record)["P@5"], record.queries) == ("measured", 0.25, 2)
    assert record.filename == Path(__file__).name, "the line that logged, not the adapter"


@pytest.mark.parametrize(
    ("fact", "shown"),
    [
        (0.7, "0.700"),
        (0.7125, "0.7125"),
        (math.nan, "nan"),
        (5, "5"),
        (None, "None"),
        ("100%", "100%"),
        ("a b\nerror c=1", r"'a b\nerror c=1'"),
    ],
)
def test_a_fact_is_written_as_one_word(caplog, fact, shown):
    """X9: at least three digits are kept, and a value cannot start another line."""
    event_logger("berryeval.example").warning("seen", extra={"fact": fact})
    assert caplog.messages == [f"seen fact={shown}"]


def test_every_module_logs_its_facts_in_the_message():
    """X9: a plain logger would hide facts passed as `extra`."""
    plain = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "getLogger(" in path.read_text("utf-8")
    }
    assert plain == WITHOUT_FACTS
