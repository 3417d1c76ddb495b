"""The page Try: a query on one or two systems, with settings that can be changed."""
