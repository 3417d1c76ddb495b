"""The page Model judges: models that judge, draws that people label, and proposed queries."""
