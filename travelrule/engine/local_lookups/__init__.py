"""Look-ups: answers from the local store and the sanctions lists in force to questions of a decision.

Makes no request to the hub or a counterparty and changes nothing. Start at ``local_answers``.
"""
