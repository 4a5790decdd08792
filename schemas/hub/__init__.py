"""Bodies of the operations of hub and members, as the network's documents state them (hub-api.md, member-api.md).

Reads leniently and writes exactly; decides nothing about a transfer. Start at ``bodies``.
"""
