"""The names of hosts, topics and groups in the settings, which log lines of libraries may show."""

from __future__ import annotations

from urllib.parse import urlsplit

from sqlalchemy import make_url

from streams.topics import Topics
from travelrule.library_messages import LibraryMessages
from travelrule.settings import Settings


def library_messages(settings: Settings) -> LibraryMessages:
    """The names that log lines of libraries may show in this installation."""
    names = {settings.consumer_group, *Topics(settings.topic_prefix).specs()}
    hosts = {urlsplit(url).hostname or "" for url in (settings.hub_url, settings.public_url) if url is not None}
    hosts.add(make_url(settings.database_url).host or "")  # its reader knows what a password may hold
    hosts |= {urlsplit(f"//{address}").hostname or "" for address in settings.broker_addresses}
    hosts |= {settings.metrics_listen.host, settings.gateway_listen.host, "localhost"}
    return LibraryMessages(names, hosts - {""})
