"""``travelrule policy``: check, apply and try the operator's rules.

May not decide by itself: the rules are in ``travelrule.policy``, the trial in ``engine.policy``.
Start at ``command.py``.
"""
