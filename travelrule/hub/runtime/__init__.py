"""A running hub: admission and service of a call, the ASGI application, HTTP to members, assembly, state in memory.

The only floor that imports all others; none of them imports it. Start at ``service``, then ``assembly``.
"""
