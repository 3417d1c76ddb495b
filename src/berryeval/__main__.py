"""The ``berryeval`` script, and ``python -m berryeval``."""

import atexit
import gc

__all__ = ["run"]

_FEW_COLLECTIONS = 50_000


def run() -> None:
    """Run the command line.

    What is loaded stays until the end: looking for garbage in it would be a seventh of a small
    job, half of that while the process ends.
    """
    gc.set_threshold(_FEW_COLLECTIONS)
    atexit.register(gc.freeze)
    from berryeval.cli import main

    main(prog_name="berryeval")


if __name__ == "__main__":
    run()
