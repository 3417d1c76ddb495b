"""The page Judgments: search, history, conflicts, agreement, export."""
