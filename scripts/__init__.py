"""What developers run: installing, locking, generating documents. Not part of the wheel."""
