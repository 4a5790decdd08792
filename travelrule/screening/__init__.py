"""Sanctions screening: names, blockchain addresses, list files, proofs of ownership, and the levels of risk.

Reads list files and does no other input or output; imports no room but ``text`` and ``crypto``. Start at
``list_snapshot``.
"""
