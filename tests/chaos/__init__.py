"""Fault runs: withdrawals stream in while things break; afterwards the invariants are proven from outside."""
