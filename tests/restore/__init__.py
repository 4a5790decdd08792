"""Backup and restore, as the guide for deployment describes it, done for real."""
