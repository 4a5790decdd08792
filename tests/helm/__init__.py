"""The chart: what it renders, what it refuses, and that what it renders runs."""
