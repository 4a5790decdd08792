"""Served data requests (M7): other VASPs ask who sent a transaction.

Owns the machine `data-request`. Personal data of customers leave only from here. Start at `machine`.
"""
