"""The history of the tables, one file per change.

A released file is never changed, and imports nothing but column types.
Start at ``0001_first_tables.py``; the next file takes the next number.
"""
