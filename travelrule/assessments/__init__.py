"""assessments."""
