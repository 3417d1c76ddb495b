"""Several processes that serve one port: ``berryeval serve --workers``."""
