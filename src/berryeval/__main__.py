"""``python -m berryeval``."""

from berryeval.cli import main

if __name__ == "__main__":
    main(prog_name="berryeval")
