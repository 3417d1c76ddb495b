"""The page Judges: models that judge, draws that people label, and proposed queries."""
