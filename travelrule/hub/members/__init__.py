"""Members of the network: their directory, their health, forwarding to them, and the file that describes them.

Reads and changes members through ``ports.HubState`` only; owns no socket. Start at ``member``.
"""
