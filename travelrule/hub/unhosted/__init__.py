"""Unhosted wallets: sessions in which a customer proves ownership of a wallet, and the widget that shows them.

Checks a proof with ``screening.ownership``; contacts no member except by callback. Start at ``session_responder``.
"""
