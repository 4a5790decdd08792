"""The database: tables, repositories and migrations, for PostgreSQL and SQLite.

May not decide anything and may not open sealed content itself: keys are passed in.
Start at ``tables.py`` and ``database.py``; each repository is named after the tables it reads.
"""
