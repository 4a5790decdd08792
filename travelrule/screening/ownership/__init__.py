"""Proof that a wallet belongs to its customer: the message to sign, and the check of signatures.

Contacts no chain: signatures of contracts cannot be checked here. Start at ``proof_check``.
"""
