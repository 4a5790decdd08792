"""The VASP directory of an installation: when it is fetched, what changed, whom we may call with which key.

May not hold rules about counterparties (``travelrule.directory``) or SQL (``store.directory``).
Start at ``counterparties.py``, then ``refresher.py`` and ``fetch_schedule.py``.
"""
