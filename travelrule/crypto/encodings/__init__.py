"""Encodings of blockchain addresses: base58, base32, bech32, CashAddr, and the hash that Ethereum uses. Pure."""
