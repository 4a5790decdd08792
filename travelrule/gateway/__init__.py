"""What the hub calls: the member endpoints M1 to M5 and M8, as an ASGI application."""
