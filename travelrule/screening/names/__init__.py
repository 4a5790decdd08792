"""Name screening: which entries of the lists a name may mean."""

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
