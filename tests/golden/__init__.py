"""Golden decisions: what each machine decides, stored, so that no output changes without a new version."""
