"""``travelrule send``: test events on their topics, and what follows of them on the output topics.

May not use more than a platform has: the broker. Start at ``command.py``, then ``example.py`` (an event with fresh ids)
and ``follow_up.py`` (what follows).
"""
