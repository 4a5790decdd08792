"""Composition: builds the adapters that the settings name and runs the roles of a process.

Only this room names concrete adapters (database, hub client, broker); it may not contain rules.
Start at ``installation.py`` (database and identity), then ``roles.py`` (``travelrule serve``).
"""
