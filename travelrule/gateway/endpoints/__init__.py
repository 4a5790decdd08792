"""The member endpoints, one file each: what a request must hold, and its answer.

An endpoint checks the sender, makes an input or reads the store; the machines decide. The table of all is
``gateway.endpoint_table``.
"""
