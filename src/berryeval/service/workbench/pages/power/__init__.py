"""The page of power: what a golden set can see."""
