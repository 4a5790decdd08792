"""``compose.yaml`` and ``deploy/``: held to their schemas, to the settings of the program and to the tools that read them."""
