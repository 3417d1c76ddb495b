"""The contract of a system under test, and the checks of its answers."""

import math

import pytest

from berryeval.core import Document
from berryeval.errors import AnswerError, ArgumentError, InputTypeError, SystemUnderTestError
from berryeval.search import Hit, System, to_hits
from berryeval.search.hits import best_hits, check_k


class Fixed(System):
    """Returns the same document for every query."""

    name = "fixed"
    n_closed = 0

    def search(self, query, k):  # noqa: ARG002
        return [Hit("d1", 1.0)][:k]

    def close(self):
        self.n_closed += 1


def test_a_system_is_a_context_that_closes_it():
    """It is closed even if an exception is raised."""
    with Fixed() as system:
        assert system.search("oauth", 1) == [("d1", 1.0)]
    assert system.n_closed == 1
    with pytest.raises(ZeroDivisionError), system:
        _ = 1 / 0
    assert system.n_closed == 2


def test_a_system_with_its_own_documents_rejects_others():
    """They are not ignored silently."""
    with pytest.raises(ArgumentError, match="documents: expected none, as fixed has its own"):
        Fixed().index([Document("d1", "text")])


def test_the_default_fingerprint_is_the_name():
    """Systems with settings add them."""
    assert Fixed().fingerprint() == {"system": "fixed"}


@pytest.mark.parametrize(
    ("answer", "hits"),
    [
        ([Hit("a", 2.0), Hit("b", 1.0)], [("a", 2.0), ("b", 1.0)]),
        ([("a", 2), ["b", 1]], [("a", 2.0), ("b", 1.0)]),
        (iter(["a", "b"]), [("a", -1.0), ("b", -2.0)]),
        ({"b": 1, "a": 2.5}, [("a", 2.5), ("b", 1.0)]),
        ([("a", 1.0), ("b", 1.0), ("é", 1.0)], [("é", 1.0), ("b", 1.0), ("a", 1.0)]),
        ([("a", math.inf), ("b", -math.inf)], [("a", math.inf), ("b", -math.inf)]),
        ([], []),
        ({}, []),
    ],
)
def test_answers_of_many_shapes_become_hits(answer, hits):
    """Hits are best first; ties by document id, highest first, as in trec_eval."""
    assert to_hits(answer, 3, "mine") == hits


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "mine: expected a list of hits, got None; does it return its results?"),
        ("d1", "mine: expected a list of hits, got str"),
        (7, "mine: expected a list of hits, got int"),
        (["a", "b", "c", "d"], "mine: expected at most 3 hits, got 4"),
        (
            ["a", "b", "a"],
            "mine: expected each document once, got 'a' twice",
        ),
        ([("a", math.nan)], "mine: hit 1: expected a number as score, got float nan"),
        ({"a": math.nan}, "mine: hit 1: expected a number as score, got float nan"),
        ([("a", "0.5")], "mine: hit 1: expected a number as score, got str '0.5'"),
        ([("a", None)], "mine: hit 1: expected a number as score, got NoneType None"),
        ([("a", True)], "mine: hit 1: expected a number as score, got bool True"),
        ([("a", 10**400)], "mine: hit 1: expected a number as score, got int 1000000"),
        (
            [("a", 2.0), (7.0, 1.0)],
            "mine: hit 2: expected text or a whole number as document id, got float 7.0",
        ),
        ([b"a"], "mine: hit 1: expected a document id and a score, got bytes b'a'"),
        ([("a", 1, 2)], "mine: hit 1: expected a document id and a score, got tuple ('a', 1, 2)"),
        (["\ud800"], "mine: hit 1: expected a document id that UTF-8 can encode, got '\\ud800'"),
        (
            [("a", 0.2), ("b", 0.5)],
            "mine: expected the best hit first, got 0.2 and then 0.5 at rank 2; negate scores if "
            "lower ones are better, or leave them out to keep the order",
        ),
    ],
)
def test_an_invalid_ranking_is_reported(answer, message):
    """The message has the system, the rank, what was expected and what was returned."""
    with pytest.raises(AnswerError) as caught:
        to_hits(answer, 3, "mine")
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 200
    assert isinstance(caught.value, SystemUnderTestError)
    assert not caught.value.transient


def test_ids_may_contain_bytes_that_are_not_text():
    """Lone surrogates stand for them, as everywhere."""
    assert to_hits(["\udcff"], 1, "mine") == [("\udcff", -1.0)]


def test_the_best_are_chosen_by_score_then_by_id():
    """The same k are chosen in any order of input."""
    pairs = [("a", 1.0), ("c", 1.0), ("b", 1.0), ("z", 0.5), ("d", 2.0)]
    assert best_hits(pairs, 3) == best_hits(reversed(pairs), 3)
    assert [hit.doc_id for hit in best_hits(pairs, 3)] == ["d", "c", "b"]


@pytest.mark.parametrize(("k", "error"), [(0, ArgumentError), (True, InputTypeError),
                                          ("5", InputTypeError)])  # fmt: skip
def test_k_is_a_whole_number_from_one(k, error):
    """Other values are rejected before a system is searched."""
    assert check_k(1) == 1
    with pytest.raises(error, match="k: expected an integer, at least 1"):
        check_k(k)
