"""Runs slow, memory-hungry or risky work in processes that can be ended."""
