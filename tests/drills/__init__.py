"""Faults that are provoked for real, each of which must raise its alerts and show itself where its runbook looks.

Start at ``drill.py``; ``__main__.py`` runs the drills on one network, with a Prometheus that has the rules with shorter
times.
"""
