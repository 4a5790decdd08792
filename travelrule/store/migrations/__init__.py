"""Migrations of the database: Alembic's environment, and the history of the tables in ``versions``.

May not move data between subjects; opens no connection (``store.schema_version`` passes one).
Start at ``env.py``, then the newest file of ``versions``.
"""
