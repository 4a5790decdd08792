"""The ASGI application that the hub calls: member endpoints M1 to M8, and the callbacks of searches.

It reads the store, and changes something only by inputs (``ports.InputIntake``); it decides nothing about a transfer.
Start at ``app`` and its table ``endpoint_table``; each operation has a file in ``endpoints``.
"""
