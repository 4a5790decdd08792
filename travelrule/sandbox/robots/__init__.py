"""Robots: members that the sandbox plays, with real keys, real sealing and a memory.

Written from the protocol's tables and not from the program's machines, which robots serve to check. Start at ``robot``.
"""
