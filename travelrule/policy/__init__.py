"""The operator's policy: the rules file, the causes and verdicts, the keys of decisions.

Pure: reads texts, not files; holds no state of a subject. Start at `policy` (the rules) and `causes` (the verdicts).
"""
