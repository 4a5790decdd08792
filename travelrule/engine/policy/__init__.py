"""The policy in force in this process, and the trial of another policy on stored inputs.

May not carry out effects: a trial only decides.
Start at ``active.py``; for ``policy try`` at ``trial.py``, then ``replay.py``.
"""
