"""The HTTP listeners of every role: sockets, connections, and HTTP/1.1 below the ASGI applications, within limits.

It may not import the operations of a hub or of a member, and reads no setting: limits and sources are arguments. Start
at ``server``.
"""
