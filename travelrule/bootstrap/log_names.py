"""The names of machines, topics and groups in the settings: libraries' log lines may show them."""

from __future__ import annotations

from urllib.parse import urlsplit

from sqlalchemy import make_url

from streams.topics import Topics
from travelrule.library_messages import LibraryMessages
from travelrule.settings import Settings


def library_messages(settings: Settings) -> LibraryMessages:
    """What lines of libraries may name in this installation."""
    names = {settings.consumer_group, *Topics(settings.topic_prefix).specs()}
    hosts = {urlsplit(url).hostname or "" for url in (settings.hub_url, settings.public_url) if url is not None}
    hosts.add(make_url(settings.database_url).host or "")  # its reader knows what a password may hold
    hosts |= {urlsplit(f"//{address}").hostname or "" for address in settings.broker_addresses}
    hosts |= {settings.metrics_listen.host, settings.gateway_listen.host, "localhost"}
    return LibraryMessages(names, hosts - {""})
