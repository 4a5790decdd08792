"""customers."""
