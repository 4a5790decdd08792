"""The published list formats, one reader per file, and the table of them.

A reader turns files into entries with ``entry_draft``; it opens no file itself. Start at ``registry``.
"""
