"""The ``berryeval`` script, and ``python -m berryeval``."""

import atexit
import gc
import sys

__all__ = ["run"]

_INTERRUPTED = 130  # the same as in `berryeval.cli`, which may not be loaded yet
_FEW_COLLECTIONS = 50_000


def run() -> None:
    """Run the command line, and end the process with the exit code of the command.

    Loaded modules stay until the end: collecting garbage among them would take a seventh of the
    time of a small job, half of that while the process ends.
    """
    try:
        gc.set_threshold(_FEW_COLLECTIONS)
        atexit.register(gc.freeze)
        raise SystemExit(_exit_code())
    except KeyboardInterrupt:  # while modules are loaded; during a command the group handles it
        sys.stderr.write("Interrupted.\n")
        raise SystemExit(_INTERRUPTED) from None


def _exit_code() -> int | str | None:
    from berryeval.cli import BAD_INPUT, BUG, main
    from berryeval.cli.streams import end_output, protect_streams

    protect_streams()
    code: int | str | None = 0
    reason = None
    try:
        main(prog_name="berryeval")
    except SystemExit as ended:
        code = ended.code
    except OSError as error:  # output of --help and the like, which no command handles
        reason = error.strerror
    except Exception:  # noqa: BLE001 - a bug: 1 would mean that a gate failed
        import traceback

        traceback.print_exc()
        code = BUG
    reason = end_output() or reason
    if reason is None or code == BAD_INPUT:  # its message is already printed
        return code
    sys.stderr.write(f"Error: cannot write: {reason}\n")
    return BAD_INPUT


if __name__ == "__main__":
    run()
