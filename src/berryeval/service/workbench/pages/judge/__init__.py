"""The page Judge: judging by keyboard."""
