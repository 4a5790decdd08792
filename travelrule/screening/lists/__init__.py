"""Sanctions lists: one model for all published formats, an importer for each, and the form that the store keeps."""
