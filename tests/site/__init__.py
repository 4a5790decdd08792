"""The documentation site as a browser shows it."""
