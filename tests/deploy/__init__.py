"""``compose.yaml`` and ``deploy/``: held to their schemas, the program's settings and the tools that read them."""
