"""Runs for property tests of fusion."""

from hypothesis import strategies as st

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.fusion import METHODS, NORMS

DOCUMENTS = [b"", b"a", b"b", b"d1", b"d10", b"d2", b"\xff", "ä".encode(), b"x" * 20]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, -3.5, 1e-9]) | st.floats(-1e6, 1e6)
WEIGHTS = st.floats(0, 10) | st.sampled_from([0.0, 1.0, 0.1])


@st.composite
def several_runs(draw, scores=SCORES):
    """Two to four runs of up to three queries; a query may be missing or empty in a run."""
    found = []
    for _ in range(draw(st.integers(2, 4))):
        run = {"q0": {"a": draw(scores)}}
        for query in draw(st.lists(st.sampled_from(["q0", "q1", "q2"]), unique=True)):
            documents = draw(st.lists(st.sampled_from(DOCUMENTS), unique=True))
            run[query] = {
                doc_id.decode("utf-8", "surrogateescape"): draw(scores) for doc_id in documents
            }
        found.append(Run.from_dict(run))
    return {f"run_{number}": run for number, run in enumerate(found, start=1)}


@st.composite
def settings(draw, n_runs):
    """The arguments of a fusion, with judgments for methods that learn."""
    method = draw(st.sampled_from([*METHODS]))
    given = {"method": method, "norm": draw(st.sampled_from([None, *NORMS]))}
    if METHODS[method].is_weighted and draw(st.booleans()):
        given["weights"] = [draw(WEIGHTS) for _ in range(n_runs)]
        given["weights"][0] += 0.5
    if METHODS[method].is_trained:
        given["judgments"] = Judgments.from_dict(
            {"q0": {"a": 1, "b": 2, "d1": 0}, "q1": {"d2": 1}, "q7": {"a": 1}}
        )
    small = {"k": 0.5, "gamma": 0.3, "phi": 0.6, "sigma": 0.4, "window": 1, "n_segments": 3}
    if draw(st.booleans()):
        given["parameters"] = {
            name: small[name] for name in METHODS[method].parameters if name in small
        }
    given["depth"] = draw(st.none() | st.integers(1, 4))
    return given
