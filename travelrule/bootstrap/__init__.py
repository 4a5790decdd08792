"""Putting the parts together: the only package that names concrete adapters (design section 3)."""
