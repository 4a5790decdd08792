"""IVMS101 building and checking, names, addresses and transaction ids: pure, no I/O."""
