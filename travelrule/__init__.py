"""The Travel Rule processor: its rooms are described in ARCHITECTURE.md."""
