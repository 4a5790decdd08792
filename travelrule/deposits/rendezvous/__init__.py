"""The rendezvous of deposits and txid reports.

Owns the machine `arrival`; decides nothing about money. Start at `machine`.
"""
