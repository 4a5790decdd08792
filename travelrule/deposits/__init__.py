"""deposits."""
