"""What the hub calls: the member endpoints M1 to M8 and the callbacks of searches, as an ASGI application."""
