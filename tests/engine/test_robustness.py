"""Unusual files, or files that change while they are read: a correct result, or one error."""

import gc
import os
import signal
import threading
import time

import pytest

from berryeval.backend import backend
from berryeval.core.judgments import Judgments
from berryeval.engine import score_at_once
from berryeval.errors import FormatError
from berryeval.measures import parse_measures
from depth import IS_DEEP

JUDGMENTS = Judgments.from_dict({f"q{i}": {"d1": 1} for i in range(3)})
MEASURES = parse_measures("RR num_ret")

if backend().name != "native":
    pytest.skip("the Python reader has tests of its own", allow_module_level=True)

N_LONG = 100_000_000 if IS_DEEP else 20_000_000  # line length in bytes; blocks are far smaller


def score_text(tmp_path, text: bytes):
    path = tmp_path / "a.run"
    path.write_bytes(text)
    return score_at_once(JUDGMENTS, path, MEASURES)


def test_a_very_long_line_is_read(tmp_path):
    """An id may be as long as memory allows."""
    text = b"q0 Q0 " + b"x" * N_LONG + b" 1 2.0 t\nq0 Q0 d1 2 1.0 t\n"
    assert list(score_text(tmp_path, text).values["RR"]) == [0.5, 0.0, 0.0]


def test_a_very_long_invalid_line_is_reported_in_one_line(tmp_path):
    """The message does not repeat it."""
    with pytest.raises(FormatError, match=r"a\.run:2: expected 6 columns") as caught:
        score_text(tmp_path, b"q0 Q0 d1 1 1.0 t\n" + b"x" * N_LONG + b"\n")
    assert len(str(caught.value)) < 300


def test_zero_bytes_are_part_of_ids(tmp_path):
    """Ids may contain any bytes except white space."""
    text = b"q0 Q0 d1\0 1 2.0 t\nq0 Q0 d1 2 1.0 t\n"
    assert list(score_text(tmp_path, text).values["RR"]) == [0.5, 0.0, 0.0]


def test_binary_data_is_an_error(tmp_path):
    """The message has the line where it was detected."""
    with pytest.raises(FormatError, match=r"a\.run:\d+: expected 6 columns"):
        score_text(tmp_path, bytes(range(256)) * 1000)


def test_a_file_truncated_within_a_line_is_an_error(tmp_path):
    """It may be an interrupted download."""
    with pytest.raises(FormatError, match=r"a\.run:2: expected 6 columns .* found 4"):
        score_text(tmp_path, b"q0 Q0 d1 1 1.0 t\nq0 Q0 d2 2")


def lines(n_queries: int) -> bytes:
    """Return a run with 100 lines per query."""
    rows = b"".join(b"q%%d Q0 d%d %d %d.5 t\n" % (j, j, 1000 - j) for j in range(1, 101))
    return b"".join(rows.replace(b"%d", b"%d" % i) for i in range(n_queries))


def outcome(path) -> str:
    try:
        found = score_at_once(JUDGMENTS, path, MEASURES)
    except FormatError as error:
        return "one line" if "\n" not in str(error) else str(error)
    return "a result" if set(found.values["RR"]) <= {0.0, 1.0} else repr(found.values)


@pytest.mark.parametrize("change", ["truncate", "append"])
def test_a_file_that_changes_while_it_is_read_never_crashes(tmp_path, change):
    """If it grows or shrinks, there is a result, or an error in one line."""
    path = tmp_path / "a.run"
    text = lines(4000)
    is_over = threading.Event()

    def disturb():
        while not is_over.is_set():
            if change == "truncate":
                os.truncate(path, len(text) // 3)
                path.write_bytes(text)
            else:
                with path.open("ab") as file:
                    file.write(b"z%d Q0 d1 1 1 t\n" % time.monotonic_ns())

    path.write_bytes(text)
    other = threading.Thread(target=disturb)
    other.start()
    try:
        for _ in range(30):
            assert outcome(path) in ("a result", "one line")
    finally:
        is_over.set()
        other.join()


def test_an_interrupt_ends_the_pass_at_once(tmp_path):
    """Ctrl-C is noticed before the end of the file."""
    path = tmp_path / "a.run"
    path.write_bytes(lines(40_000))
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    gc.disable()  # exceptions raised during garbage collection are lost
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            score_at_once(JUDGMENTS, path, MEASURES)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        gc.enable()
