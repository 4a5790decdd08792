"""Cryptography: signing, sealing, encryption at rest, blind index, fingerprints, audit proofs, address encodings.

Pure: time, nonces and randomness are arguments; keys come from the settings. Imports no other room. Start at
`signing` (requests), `sealing` (payloads) and `at_rest` (storage).
"""
