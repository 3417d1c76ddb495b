"""Tables and series of other libraries, whose iteration does not yield ids."""

import pytest

from berryeval import InputTypeError, ranking


class Table:
    """Like a table that is not a mapping."""

    columns = ("doc_id",)

    def __iter__(self):
        return iter(self.columns)


class Series:
    """Like a pandas Series: iterates over its values, and the ids are its index."""

    def __iter__(self):
        return iter([2, 1])

    def to_dict(self):
        return {"a": 2, "b": 1}


def test_a_table_is_not_a_ranking():
    """Its column names would be mistaken for ids."""
    with pytest.raises(InputTypeError, match="retrieved: expected document ids, best first, got T"):
        ranking.recall_at_k(Table(), {"a"}, 1)


def test_a_table_is_not_judgments():
    """Its column names would be mistaken for ids."""
    with pytest.raises(InputTypeError, match=r"judgments: expected a set of ids.*, got Table"):
        ranking.recall_at_k(["a"], Table(), 1)


def test_a_series_of_grades_must_be_converted_to_a_mapping():
    """The message says how."""
    with pytest.raises(InputTypeError, match=r"got Series \(try \.to_dict\(\)\)"):
        ranking.recall_at_k(["a"], Series(), 1)
    assert ranking.recall_at_k(["a"], Series().to_dict(), 1) == 0.5


def test_records_by_query_must_be_passed_as_values():
    """A mapping from query to record iterates over the queries."""
    with pytest.raises(InputTypeError, match=r"records: expected .*, got a mapping \(pass its val"):
        ranking.mean_metrics({"q1": {"retrieved": [], "relevant": []}})


def test_an_error_in_a_callers_generator_is_passed_on():
    """A TypeError raised by the caller's code is not replaced."""

    def broken():
        yield 1
        raise TypeError("not ours")

    with pytest.raises(TypeError, match="not ours"):
        ranking.compute_all(["a"], {"a"}, ks=broken())
