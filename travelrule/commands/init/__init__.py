"""``travelrule init``: keys, profile, policy, settings and a sandbox's world for a first installation.

May not overwrite a file. Start at ``command.py``, then ``contents.py`` (what is written) and ``new_files.py`` (how).
"""
