"""The pages of gates: what a candidate has to reach, and what was decided."""
