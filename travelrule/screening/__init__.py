"""Sanctions screening: names, blockchain addresses, list files, proofs of ownership, and the levels of risk.

Reads list files and does no other input or output; imports ``text``, ``crypto`` and ``schemas`` only. Start at
``list_snapshot``.
"""
