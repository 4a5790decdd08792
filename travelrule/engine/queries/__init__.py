"""Questions about sealed data that counterparties ask: stored authorizations and our withdrawals.

May not write, and may not answer more than the endpoint that asks needs.
Start at ``served_withdrawals.py``.
"""
