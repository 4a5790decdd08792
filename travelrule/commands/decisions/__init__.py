"""``travelrule decide`` and ``verdicts``: an operator's decision as an event, and what became of it.

May not change a subject: the worker decides; this floor only checks beforehand and waits.
Start at ``command.py``, then ``event.py`` (made and signed) and ``outcome.py`` (followed).
"""
