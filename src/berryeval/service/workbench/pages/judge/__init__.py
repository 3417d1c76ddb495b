"""Judging by keyboard: what to judge next, and what became of the answers."""
