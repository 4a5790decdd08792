"""``travelrule dead-letters``: list, show and replay what was refused.

May not show a dead letter without recording who read it.
Start at ``command.py``; ``filter.py`` holds the options, ``replay.py`` sends again.
"""
