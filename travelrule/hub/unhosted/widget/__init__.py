"""The widget in which a customer proves that a wallet is his own: the page, the script, and what the script calls."""
