"""Tests of the project; ``tests.services`` is imported by them."""
