"""The operator's policy: the rules file, the causes and verdicts, the keys of decisions.

Pure: reads texts, not files; knows no subject. Start at `policy` (the rules) and `causes` (the verdict table).
"""
