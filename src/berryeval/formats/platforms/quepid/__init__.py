"""Files of Quepid: ratings and books as CSV, and books, cases and snapshots as JSON."""
