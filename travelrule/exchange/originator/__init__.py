"""originator."""
