"""What is kept in memory between requests, and the threads that keep it up to date."""
