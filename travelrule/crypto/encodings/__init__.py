"""Encodings of blockchain addresses: base58, base32, bech32, CashAddr, and the hash that Ethereum uses.

Pure. Holds no rule of a chain: the encoding of an address is chosen in ``screening.addresses``.
Start at ``base58`` and ``bech32``.
"""
