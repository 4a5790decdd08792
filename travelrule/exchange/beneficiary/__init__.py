"""beneficiary."""
