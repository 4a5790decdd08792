"""Developers' commands: installation, lock files, generated documents. Not part of the wheel."""
