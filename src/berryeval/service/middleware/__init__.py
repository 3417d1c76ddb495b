"""What every request passes through, outermost first: log, access, limits."""
