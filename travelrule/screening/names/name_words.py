"""Words of a name that do not identify a person: titles and particles."""

from __future__ import annotations

_TITLE_WORDS = """
    mr mrs ms miss mister madam madame mme mlle monsieur sir dame lord lady dr doctor prof professor hon honorable rev
    reverend father pastor bishop eng engineer ing dipl mag capt captain col colonel gen general brig brigadier maj
    major lt lieutenant sgt sergeant cdr commander adm admiral marshal minister president chairman ambassador prince
    princess king queen sheikh sheik shaykh shaikh cheikh haji hajji hadji hajj hajja alhaji hajy mullah mulla molla
    mawlawi maulvi maulavi mawlavi mawlana maulana moulana mufti qari imam ayatollah hojatoleslam hodjatoleslam sayyid
    sayyed seyed seyyed syed ustad ustaz hafiz hafez herr frau senor senora sr sra srta don dona
    licenciado lic ingeniero jr sr snr jnr ii iii iv phd md esq mba bsc msc ret retd
"""
TITLES = frozenset(_TITLE_WORDS.split())
"""Titles and suffixes; left out while two other words remain."""

_PARTICLE_WORDS = """
    al el ul il as ash ad an ar at az es er en ed bin ben ibn bint bnt binti ould wuld de del della da do dos das di du
    des la le les los las van von der den ten ter y e i and und et the of for a
"""
PARTICLES = frozenset(_PARTICLE_WORDS.split())
"""Articles and links. They are compared, weigh little, and never find an entry alone."""
