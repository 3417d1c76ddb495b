"""M11: the categories of queries."""

import pytest

from berryeval import QueryType

LABELS = ["factual", "conceptual", "procedural", "comparative", "troubleshoot", "code_lookup"]


def test_the_six_types_are_there():
    """M11: in this order, by these labels."""
    assert [query_type.value for query_type in QueryType] == LABELS


@pytest.mark.parametrize("label", LABELS)
def test_a_type_is_its_label(label):
    """M11: a type compares, prints and formats as its label."""
    query_type = QueryType(label)
    assert query_type == label
    assert str(query_type) == f"{query_type}" == label
    assert f"{query_type:>20}" == label.rjust(20)


def test_troubleshooting_is_an_alias():
    """M11: both spellings are one type, by attribute and by label."""
    assert QueryType("troubleshooting") is QueryType.TROUBLESHOOTING is QueryType.TROUBLESHOOT


def test_any_other_label_stays_as_it_is():
    """M11: a category of one's own is allowed; the known ones are recognised."""
    assert QueryType.of("billing") == "billing"
    assert QueryType.of("factual") is QueryType.FACTUAL


def test_an_unknown_label_is_no_type():
    """Asked for a type by a label that is none, the enumeration refuses."""
    with pytest.raises(ValueError, match="billing"):
        QueryType("billing")
