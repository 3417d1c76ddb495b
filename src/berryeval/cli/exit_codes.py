"""The exit codes of the command line; ``berryeval trec_eval`` has those of trec_eval."""

__all__ = [
    "ARCHIVE_FAILED",
    "BAD_INPUT",
    "BUG",
    "INTERRUPTED",
    "SYSTEM_FAILED",
]

BAD_INPUT = 2
SYSTEM_FAILED = 4
"""The system under test failed."""
ARCHIVE_FAILED = 5
"""An archive cannot be used: its disk is full, its database is out of reach."""
BUG = 70
"""What should not happen, as in BSD's sysexits."""
INTERRUPTED = 130
