"""Presentation of results. Nothing is computed here."""
