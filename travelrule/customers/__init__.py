"""The wallets of our customers and the owners of these wallets, with the result of screening each owner.

Pure: no I/O. Screening itself runs in the engine.
Start with ``wallet.py``; ``owner.py`` merges the hits of all wallets of one customer.
"""
