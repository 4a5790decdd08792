"""Disclosures: who read the content of a dead letter.

Pure: no I/O.
Start with ``disclosure.py``.
"""
