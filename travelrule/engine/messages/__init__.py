"""Messages: what one subject sends to another becomes an input of the receiver, exactly once and in order.

Reads the table ``tells``; its rows are written and deleted by ``apply``, which this floor may not import.
Start at ``message_dispatcher``; ``requeue`` replays a refused message.
"""
