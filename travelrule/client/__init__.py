"""The signed HTTP client of the hub: one method per operation, errors that say whose fault and what to do."""
