"""What subjects send each other: assessments, arrivals, owners, inbound requests and directory changes, as models.

Data only: no decisions except which cause a risk is. Never rename a message type or a field, both are stored.
Start with ``arrival.py`` (exchange and deposit) and ``assessment.py``; ``engine/registry.py`` merges their tables.
"""
