"""Deletion of what the policy no longer keeps, and erasure of subjects.

May not delete what an open subject needs, and never deletes audit records.
Start at ``eligibility.py`` (which subjects), then ``job.py`` (when and how much).
"""
