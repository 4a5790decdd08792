"""The sanctions lists of the demo's VASPs: invented people and one address, a different list for each VASP."""

from __future__ import annotations

HEADER = "name,id,kind,aliases,weak_aliases,birth_date,countries,programmes,addresses"
LISTED_ADDRESS = "rG93nv5zZ3hAnx6zmySAW1DJtkAdRo8MDo"
"""Listed by north."""
LISTED_OWNER = {"natural": {"lastName": "Vardanashvilo", "firstName": "Teobaldo"}}
"""Listed by south, not by north."""

NORTH_LIST = f"""{HEADER}
Quentin Przykladov,n-1,person,,,1961-04-01,,invented,XRP {LISTED_ADDRESS}
Invented Freight Holding,n-2,organisation,,,,,invented,
"""
SOUTH_LIST = f"""{HEADER}
Teobaldo Vardanashvilo,s-1,person,Teo Vardanashvilo,,1970,,invented,
"""
