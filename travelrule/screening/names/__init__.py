"""Name screening: which entries of the lists a name may mean."""

from travelrule.screening.names.entries import ListedName, NameKind, NameMatch, NameQuality
from travelrule.screening.names.index import DEFAULT_LIMIT, DEFAULT_THRESHOLD, NameIndex

__all__ = ["DEFAULT_LIMIT", "DEFAULT_THRESHOLD", "ListedName", "NameIndex", "NameKind", "NameMatch", "NameQuality"]
