"""Faults of a running sandbox: their specification, the book that holds them, and the wrappers that apply them.

Wraps the hub's ports and answers; changes no state of hub or robots. Start at ``fault_spec``.
"""
