"""The audit record: what is written about each decision, the Merkle log of chain heads, and the proof of both.

May not change a subject; it reads states only to decide again what was recorded.
Start at ``record.py`` (the record), then ``log.py`` (signed roots) and ``verifier.py`` (``audit verify``).
"""
