"""The operator pages over HTTP. This version has none: ``travelrule serve`` reports the role ``console`` as not built.

May not decide anything: an operator's decision is an event on topic ``decisions``.
Start at ``bootstrap/roles.py``, which lists the roles.
"""
