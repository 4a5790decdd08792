"""``travelrule explain``: the inputs, decisions and calls of one subject, without personal data.

May not show words of a sanctions list or personal content of an input.
Start at ``story.py`` (what is shown), then ``command.py`` (how).
"""
