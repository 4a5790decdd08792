"""Words that say little about who is meant: titles, articles, legal forms.

The comparison of names for the Travel Rule has its own list of legal forms (``identity.company_names``): there a form
is dropped at the ends of a name because the protocol says so, here spellings of one form are one word anywhere.
"""

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
"""Titles and what stands behind a name; left out while two other words remain."""

_PARTICLE_WORDS = """
    al el ul il as ash ad an ar at az es er en ed bin ben ibn bint bnt binti ould wuld de del della da do dos das di du
    des la le les los las van von der den ten ter y e i and und et the of for a
"""
PARTICLES = frozenset(_PARTICLE_WORDS.split())
"""Articles and links: compared, but they hardly weigh and never find an entry by themselves."""

LONG_FORMS = ("company", "limited", "corporation", "incorporated", "compania", "limitada", "private", "liability")
"""Legal forms that are long enough to be misspelt."""

_FORM_GROUPS = """
    ltd limited ltda limitada lda pte pvt private proprietary pty sdnbhd | inc incorporated | corp corporation
    corporacion corporativo | co company compania compagnie cia cie | llc ooo too tov mchj wll lls | llp | lp | plc
    | gmbh mbh ggmbh | ag | kg kgaa | ohg | ug | sa sarl sas sau sasu spa srl srls sl slu sadecv sderldecv safi saic
    eurl snc scs sca sc ei eirl eireli esal scoopltda | bv nv vof cv | oy oyj ab as asa aps hb | doo dd ad ood eood
    | kft zrt nyrt bt rt | sro spolsro | spzoo | sia uab ou | jsc ojsc pjsc cjsc ojs oao zao pao ao pat prat jscb
    | kk gk yk | pt tbk cv | bhd berhad sdn | fze fzc fzco fzllc dmcc psc pjs saoc saog bsc | coop cooperative
    | gmbhcokg | est establishment | jointstock
"""
FORMS = {form: group.split()[0] for group in _FORM_GROUPS.split("|") for form in group.split()}
"""Legal forms by the word that stands for their kind."""

JOINED_FORMS = {
    ("s", "de", "r", "l", "de", "c", "v"): "sa",
    ("sa", "de", "cv"): "sa",
    ("s", "a", "de", "c", "v"): "sa",
    ("s", "de", "rl", "de", "cv"): "sa",
    ("de", "cv"): "sa",
    ("de", "c", "v"): "sa",
    ("sp", "z", "o", "o"): "spzoo",
    ("sp", "z", "oo"): "spzoo",
    ("spol", "s", "r", "o"): "sro",
    ("s", "r", "o"): "sro",
    ("d", "o", "o"): "doo",
    ("s", "r", "l"): "sa",
    ("s", "p", "a"): "sa",
    ("s", "a", "s"): "sa",
    ("s", "a", "r", "l"): "sa",
    ("s", "a"): "sa",
    ("b", "v"): "bv",
    ("n", "v"): "bv",
    ("l", "l", "c"): "llc",
    ("j", "s", "c"): "jsc",
    ("joint", "stock", "company"): "jsc",
    ("open", "joint", "stock", "company"): "jsc",
    ("closed", "joint", "stock", "company"): "jsc",
    ("public", "joint", "stock", "company"): "jsc",
    ("limited", "liability", "company"): "llc",
    ("public", "limited", "company"): "plc",
    ("obshchestvo", "s", "ogranichennoy", "otvetstvennostyu"): "llc",
    ("aktsionernoe", "obshchestvo"): "jsc",
    ("sociedad", "anonima"): "sa",
}
"""Forms of several words, as they stand after splitting."""

FORM_STARTS = frozenset(words[0] for words in JOINED_FORMS)
FORM_WORDS_MAX = max(map(len, JOINED_FORMS))

ASIAN_FORMS = (
    "유한책임회사", "주식회사", "유한회사", "합자회사", "합명회사", "(주)", "(유)",
    "株式会社", "合同会社", "有限会社", "股份有限公司", "有限責任公司", "有限责任公司", "有限公司",
    "(株)", "(有)", "公司",
)  # fmt: skip
"""Forms written against the name without a blank, longer ones first."""
