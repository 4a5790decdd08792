"""Queries of sealed data for requests of counterparties: stored authorizations and our withdrawals.

May not write, and may not return more than the calling endpoint needs.
Start at ``served_withdrawals.py``.
"""
