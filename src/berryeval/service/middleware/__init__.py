"""The middleware of every request, outermost first: log, access, limits."""
