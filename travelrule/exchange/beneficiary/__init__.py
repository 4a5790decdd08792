"""The inbound exchange machine: from the authorization of another VASP to its txid report or finish.

Pure: no I/O. It reaches its deposit by messages only.
Start with ``machine.py``; the rules for an authorization are in ``authorization_rules.py``.
"""
