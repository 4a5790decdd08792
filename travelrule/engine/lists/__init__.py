"""Sanctions lists in use by this process: loading, screening, the age of lists, wallet owners.

May not parse a publisher's format (``screening.lists``) and may not decide what a hit means (the machines).
Start at ``active_lists.py``, then ``owner_screening.py``.
"""
