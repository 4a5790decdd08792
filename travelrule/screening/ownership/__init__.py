"""Proof that a wallet is its customer's: the message he signs, and the signatures we can check ourselves."""
