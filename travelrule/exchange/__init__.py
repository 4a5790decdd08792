"""The Travel Rule exchange: ``originator/`` is the withdrawal side, ``beneficiary/`` the inbound side.

Pure: no I/O, and no import of deposits, assessments, customers, directory or the engine.
Start with ``table.py`` (the law and the transition tables), then ``originator/machine.py``.
"""
