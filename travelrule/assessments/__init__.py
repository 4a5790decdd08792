"""Assessments: the risk of a wallet, a transaction or parties, and proofs that a wallet is the customer's own.

Owns the machines `screening` (requested by the platform) and `assessment` (requested by another subject). Pure: no I/O,
no import of another machine. Start at `machine` and `table`.
"""
