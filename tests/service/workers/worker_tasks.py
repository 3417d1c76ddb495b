"""Functions that tests call in worker processes."""

# ruff: noqa: ARG001, T201 - every task has the same parameters; one of them prints

import importlib
import os
import time
from pathlib import Path

from berryeval.errors import FormatError


def process_id(progress):
    return os.getpid()


def three_steps(progress):
    for done in range(3):
        progress(done, 3, f"step {done + 1}")
    return "done"


def fail(progress):
    raise FormatError("expected 6 columns, found 5", "a.run", 3)


def divide_by_zero(progress):
    return 1 / 0


def never_end(progress, path):
    Path(path).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def wait_for(progress, path):
    while not Path(path).exists():
        time.sleep(0.01)


def fill_memory(progress, megabytes):
    return len(bytearray(megabytes << 20))


def die(progress):
    os.kill(os.getpid(), 9)


def imported_file(progress, name):
    return str(Path(importlib.import_module(name).__file__).parent)


def print_something(progress):
    print("hello")
    return "printed"


def wait_forever(progress, **arguments):
    never_end(progress, os.environ["TASK_STARTED"])
