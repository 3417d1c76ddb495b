"""The ``berryeval`` script, and ``python -m berryeval``."""

import atexit
import gc

__all__ = ["BUG", "run"]

BUG = 70
"""The exit code of what should not happen, as in BSD's sysexits."""

_FEW_COLLECTIONS = 50_000


def run() -> None:
    """Run the command line.

    What is loaded stays until the end: looking for garbage in it would be a seventh of a small
    job, half of that while the process ends.
    """
    gc.set_threshold(_FEW_COLLECTIONS)
    atexit.register(gc.freeze)
    from berryeval.cli import main

    try:
        main(prog_name="berryeval")
    except Exception:  # noqa: BLE001 - a bug of ours: 1 would tell CI that a gate failed
        import traceback

        traceback.print_exc()
        raise SystemExit(BUG) from None


if __name__ == "__main__":
    run()
