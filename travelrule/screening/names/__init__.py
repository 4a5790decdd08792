"""Name screening: the entries of the lists that a name may mean.

Holds names in memory and reads no list; a search never blocks an event loop for long. Start at ``name_index``.
"""

from travelrule.screening.names.comparable_name import is_comparable
from travelrule.screening.names.listed_names import KINDS, ListedName, NameKind, NameMatch, NameQuality
from travelrule.screening.names.name_index import DEFAULT_LIMIT, DEFAULT_THRESHOLD, NameIndex

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
