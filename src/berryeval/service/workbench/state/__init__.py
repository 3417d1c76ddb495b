"""State in memory between requests, and the threads that update it."""
