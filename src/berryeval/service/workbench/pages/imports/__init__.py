"""The page Import: files are previewed, then stored completely or not at all."""
