"""The withdrawal machine: from the request of the platform to a concluded exchange.

Pure: no I/O. It reaches other subjects by messages only, the counterparty by calls only.
Start with ``machine.py``; handlers are in one file per step, ``state.py`` and ``builder.py`` beside.
"""
