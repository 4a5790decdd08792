"""The member endpoints, one file each: what a request must hold, and its answer.

An endpoint checks the sender, makes an input or reads the store; the machines decide. Start at
``gateway.endpoint_table``, the table of all, and ``authorization``.
"""
