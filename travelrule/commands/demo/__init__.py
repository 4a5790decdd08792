"""``travelrule demo``: two VASPs and a sandbox hub on this machine, and scenarios played between them.

May not use more of the product than an operator has: processes, topics, commands, HTTP.
Start at ``session.py``, then ``scenarios.py``.
"""
