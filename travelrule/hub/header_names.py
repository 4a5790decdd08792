"""Names of the request headers (auth.md section 1), in the lower case of ASGI."""

from __future__ import annotations

DATETIME = "x-code-req-datetime"
NONCE = "x-code-req-nonce"
PUBLIC_KEY = "x-code-req-pubkey"
SIGNATURE = "x-code-req-signature"
ORIGIN = "x-request-origin"
REMOTE_KEY = "x-code-req-remote-pubkey"
CONTENT_TYPE = "content-type"
