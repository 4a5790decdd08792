"""Name screening: which entries of the lists a name may mean."""

from travelrule.screening.names.entries import KINDS, ListedName, NameKind, NameMatch, NameQuality
from travelrule.screening.names.index import DEFAULT_LIMIT, DEFAULT_THRESHOLD, NameIndex
from travelrule.screening.names.normal import is_comparable

__all__ = [
    "DEFAULT_LIMIT",
    "DEFAULT_THRESHOLD",
    "KINDS",
    "ListedName",
    "NameIndex",
    "NameKind",
    "NameMatch",
    "NameQuality",
    "is_comparable",
]
