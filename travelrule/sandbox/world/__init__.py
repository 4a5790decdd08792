"""The world of a sandbox: the world file, the providers of risk that it describes, and a wallet that can sign.

Holds data and what follows from it; owns no connection. Start at ``world_file``.
"""
