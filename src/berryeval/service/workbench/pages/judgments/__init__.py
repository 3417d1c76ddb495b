"""The judgments that there are: found, followed through time, compared, taken in and out."""
