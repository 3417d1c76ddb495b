"""Migrations of the schema, run by `berryeval.archive.schema`."""
