"""Files that people bring: looked at first, then stored as a whole."""
