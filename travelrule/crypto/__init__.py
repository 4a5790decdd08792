"""Keys, signatures, payload and storage encryption, audit proofs: pure, no I/O."""
