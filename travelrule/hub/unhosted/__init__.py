"""unhosted."""
