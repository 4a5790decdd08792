"""disclosures."""
