"""Risk: wallet and transaction screening, KYT, and the providers that rate.

Rates nothing itself: a provider does, behind ``risk.ports``. Start at ``rating_responder`` and ``kyt_responder``.
"""
