"""The HTTP doors of every role: what is accepted, how much of it, and for how long.

Owns sockets, connections and the HTTP/1.1 protocol class below the ASGI applications. It knows no operation of the
hub or of a member, and reads no setting: limits and sources are arguments.
"""
