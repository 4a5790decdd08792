"""Look-ups: answers from the local store and the lists in force to the questions of decisions.

Makes no request and changes nothing; may not import ``calls`` or ``apply``.
Start at ``look_up_executor``, then ``local_answers``.
"""
