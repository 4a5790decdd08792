"""Alert and recording rules for Prometheus, written as Python and rendered to ``helm/travelrule/rules``.

Start at ``rule.py``; ``objectives.py`` has the burn rates, every other module one file of alerts.
"""
