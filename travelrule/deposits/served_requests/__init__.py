"""Served data requests (M7): other VASPs request the originator of a transaction.

Owns the machine `data-request`. Pure; personal data of a customer is in an answer only after `examination` allows it.
Start at `machine`.
"""
