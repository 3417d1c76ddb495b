"""How results look. Nothing is computed here."""
