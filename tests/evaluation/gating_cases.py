"""Comparisons with figures that can be computed by hand, for the tests of the gate."""

from berryeval import compare, gate

RELEVANT = [f"r{i}" for i in range(5)]
OTHER = [f"n{i}" for i in range(5)]


def ids(n_queries):
    return [f"q{i:03}" for i in range(n_queries)]


def judged(n_queries):
    """Return judgments with five relevant and five other documents per query."""
    grades = {**dict.fromkeys(RELEVANT, 1), **dict.fromkeys(OTHER, 0)}
    return dict.fromkeys(ids(n_queries), grades)


def ranked(hits):
    """Return a run with this number of relevant documents among five, by query."""
    return {q: RELEVANT[:n] + OTHER[: 5 - n] for q, n in zip(ids(len(hits)), hits, strict=True)}


def compared(before, after, measures="P@5", **settings):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    return compare(judged(len(before)), runs, measures, bounds=True, **settings)


def decided(before, after, measures="P@5", margin=0.05, **settings):
    return gate(compared(before, after, measures), margin=margin, **settings)


def only(result):
    [guard] = result.guards
    return guard
