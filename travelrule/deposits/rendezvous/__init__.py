"""The rendezvous: deposits and txid reports of one transaction and one address are matched here.

Owns the machine `arrival`. Pure; decides nothing about money. Start at `machine`, then `report_pairs`.
"""
