"""The widget in which a customer proves ownership of a wallet: its page, its script, and their routes.

Holds no session: ``widget_calls`` does. Start at ``routes``.
"""
