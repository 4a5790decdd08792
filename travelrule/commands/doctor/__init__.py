"""``travelrule doctor``: the checks of an installation, each within a limit of time and independent of the others.

May not change anything, in the database or elsewhere.
Start at ``command.py`` (the list of checks) and ``check.py`` (one check and its boundary).
"""
