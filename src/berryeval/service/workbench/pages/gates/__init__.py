"""The pages of gates: guards, replays and verdicts."""
