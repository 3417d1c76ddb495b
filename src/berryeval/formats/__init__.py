"""Files of judgments and runs. One module a format: its grammar, and how it is read."""
