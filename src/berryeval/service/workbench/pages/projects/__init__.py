"""The pages of judging projects: starting, progress, agreement, settling."""
