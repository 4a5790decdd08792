"""Deposits: from detection to settlement, with everything that finds the originator.

Owns the machines of deposits, of the `rendezvous` with txid reports, and of the `served_requests` of other VASPs. Pure:
no I/O, no import of another machine; exchanges and assessments are reached by messages. Start at `machine` and `table`.
"""
