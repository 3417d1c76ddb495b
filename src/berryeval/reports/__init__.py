"""How results look: text, terminal, and more to come. Nothing is computed here."""
