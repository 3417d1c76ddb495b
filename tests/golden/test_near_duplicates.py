"""Queries that ask almost the same thing."""

import pytest

from berryeval.core import Query
from berryeval.golden import handbook
from berryeval.golden.near_duplicates import SIMILARITY, find_query_groups, similarity
from depth import IS_DEEP


def groups_of(*texts, **groups):
    """Return the ids of queries by suggested group."""
    queries = [Query(f"Q{n}", text, group=groups.get(f"Q{n}")) for n, text in enumerate(texts)]
    return {
        group.name: [query.query_id for query in group.queries]
        for group in find_query_groups(queries)
    }


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("How do I reset my password?", "password reset"),
        ("why are my searches slow", "SLOW   searches"),
        ("backup the database", "database backups"),
        ("ﬁle upload", "file upload"),
        ("error 401 on login", "login error 401"),
    ],
)
def test_paraphrases_form_a_group(a, b):
    """Word order, stop words, case, white space and endings do not matter."""
    assert similarity(a, b) >= SIMILARITY
    assert groups_of(a, b) == {"Q0": ["Q0", "Q1"]}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("configure OAuth for GitHub", "configure OAuth for Google"),
        ("delete a user", "delete a group"),
        ("error 401 on login", "error 403 on login"),
        ("import data from csv", "export data to csv"),
        ("", ""),
        ("???", "!"),
    ],
)
def test_different_questions_form_no_group(a, b):
    """Some common words are not enough, and numbers must be equal."""
    assert similarity(a, b) < SIMILARITY
    assert groups_of(a, b) == {}


def test_trigrams_are_counted_by_hand():
    """'ab' has ' ab' and 'ab ', 'ac' has neither; 'abc' and 'abd' share ' ab' of five."""
    assert similarity("ab", "ac") == 0
    assert similarity("abc", "abd") == pytest.approx(1 / 5)


def test_queries_that_share_a_group_are_not_suggested_again():
    """A missing query joins the group of the others."""
    texts = ("reset my password", "password reset", "how do I reset the password")
    assert groups_of(*texts, Q0="passwords", Q1="passwords", Q2="passwords") == {}
    assert groups_of(*texts, Q1="passwords") == {"passwords": ["Q0", "Q1", "Q2"]}
    assert groups_of(*texts, Q0="a", Q1="b", Q2="b") == {"a": ["Q0", "Q1", "Q2"]}


def test_the_queries_of_the_handbook_are_not_grouped():
    """No pair is close to the threshold."""
    queries = handbook().queries
    assert find_query_groups(queries) == ()
    texts = [query.text for query in queries]
    assert max(similarity(a, b) for a in texts for b in texts if a != b) < 0.3


def test_the_order_of_queries_affects_only_names():
    """Groups are the same in any order."""
    texts = [text for several in handbook().questions.values() for text in several[:3]]
    queries = [Query(str(n), text) for n, text in enumerate(dict.fromkeys(texts))]
    found = {frozenset(group.queries) for group in find_query_groups(queries)}
    assert len(found) > 10
    queries.reverse()
    assert {frozenset(group.queries) for group in find_query_groups(queries)} == found


def test_preselection_finds_every_similar_pair():
    """Comparing all pairs finds no more than comparing those with a common rare word."""
    texts = [text for several in handbook().questions.values() for text in several[:2]]
    texts = [*dict.fromkeys(texts)][: 400 if IS_DEEP else 150]
    queries = [Query(str(n), text) for n, text in enumerate(texts)]
    group_of = {
        query.query_id: group.name
        for group in find_query_groups(queries)
        for query in group.queries
    }
    for n, a in enumerate(queries):
        for b in queries[:n]:
            if similarity(a.text, b.text) >= SIMILARITY:
                assert group_of[a.query_id] == group_of[b.query_id]


def test_many_similar_queries_are_one_group():
    """Each query is compared with only some of them."""
    assert groups_of(*["how do I reset my password"] * 300).keys() == {"Q0"}
