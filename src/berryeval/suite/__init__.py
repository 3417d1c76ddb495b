"""Whole jobs that the command line and others share."""
