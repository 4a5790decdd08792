"""Sanctions lists: one model for all published formats, their import, and the form that the store keeps.

Opens list files and nothing else; compares no name. Start at ``list_importer``; a format is a row of
``formats.registry``.
"""
