"""Names of countries as the lists write them, to ISO 3166-1 alpha-2 (and XK for Kosovo, as the lists use it)."""

from __future__ import annotations

from types import MappingProxyType

_NAMES = """
af Afghanistan; ax Aland Islands; al Albania; dz Algeria; as American Samoa; ad Andorra; ao Angola; ai Anguilla; ag
Antigua and Barbuda; ar Argentina; am Armenia; aw Aruba; au Australia; at Austria; az Azerbaijan; bs Bahamas,
The|Bahamas; bh Bahrain; bd Bangladesh; bb Barbados; by Belarus; be Belgium; bz Belize; bj Benin; bm Bermuda; bt
Bhutan; bo Bolivia|Bolivia (Plurinational State of); ba Bosnia and Herzegovina; bw Botswana; br Brazil; io British
Indian Ocean Territory; bn Brunei|Brunei Darussalam; bg Bulgaria; bf Burkina Faso; bi Burundi; cv Cabo Verde|Cape
Verde; kh Cambodia; cm Cameroon; ca Canada; ky Cayman Islands; cf Central African Republic; td Chad; cl Chile; cn
China|People's Republic of China; co Colombia; km Comoros; cg Congo, Republic of the|Congo|Republic of the Congo|Congo
(Republic); cd Congo, Democratic Republic of the|Democratic Republic of the Congo|Congo (Democratic Republic)|DRC; ck
Cook Islands; cr Costa Rica; ci Cote d'Ivoire|Cote d Ivoire|Côte d'Ivoire|Ivory Coast; hr Croatia; cu Cuba; cw
Curacao|Curaçao; cy Cyprus; cz Czech Republic|Czechia; dk Denmark; dj Djibouti; dm Dominica; do Dominican Republic; ec
Ecuador; eg Egypt; sv El Salvador; gq Equatorial Guinea; er Eritrea; ee Estonia; sz Eswatini|Swaziland; et Ethiopia;
fk Falkland Islands; fo Faroe Islands; fj Fiji; fi Finland; fr France; ga Gabon; gm Gambia, The|Gambia|The Gambia; ge
Georgia; de Germany; gh Ghana; gi Gibraltar; gr Greece; gl Greenland; gd Grenada; gu Guam; gt Guatemala; gg Guernsey;
gn Guinea; gw Guinea-Bissau|Guinea Bissau; gy Guyana; ht Haiti; hn Honduras; hk Hong Kong|Hong Kong S.A.R.; hu
Hungary; is Iceland; in India; id Indonesia; ir Iran|Iran (Islamic Republic of)|Iran, Islamic Republic of|Islamic
Republic of Iran; iq Iraq; ie Ireland; im Isle of Man|Man, Isle of; il Israel; it Italy; jm Jamaica; jp Japan; je
Jersey; jo Jordan; kz Kazakhstan; ke Kenya; ki Kiribati; kp Korea, North|North Korea|Democratic People's Republic of
Korea|Korea, Democratic People's Republic of|DPRK; kr Korea, South|South Korea|Republic of Korea|Korea, Republic of;
xk Kosovo; kw Kuwait; kg Kyrgyzstan|Kyrgyz Republic; la Laos|Lao People's Democratic Republic; lv Latvia; lb Lebanon;
ls Lesotho; lr Liberia; ly Libya|Libyan Arab Jamahiriya; li Liechtenstein; lt Lithuania; lu Luxembourg; mo
Macau|Macao; mg Madagascar; mw Malawi; my Malaysia; mv Maldives; ml Mali; mt Malta; mh Marshall Islands; mr
Mauritania; mu Mauritius; mx Mexico; fm Micronesia; md Moldova|Republic of Moldova|Moldova, Republic of; mc Monaco; mn
Mongolia; me Montenegro; ms Montserrat; ma Morocco; mz Mozambique; mm Burma|Myanmar|Myanmar (Burma); na Namibia; nr
Nauru; np Nepal; nl Netherlands|The Netherlands; nc New Caledonia; nz New Zealand; ni Nicaragua; ne Niger; ng Nigeria;
nu Niue; mk North Macedonia|North Macedonia, The Republic of|Macedonia|Macedonia, The Former Yugoslav Republic of; no
Norway; om Oman; pk Pakistan; pw Palau; ps Palestinian|West Bank|Region: Gaza|Palestine|State of Palestine|Palestinian
Territory, Occupied|Occupied Palestinian Territories; pa Panama; pg Papua New Guinea; py Paraguay; pe Peru; ph
Philippines; pl Poland; pt Portugal; pr Puerto Rico; qa Qatar; ro Romania; ru Russia|Russian Federation; rw Rwanda; kn
Saint Kitts and Nevis|St. Kitts and Nevis; lc Saint Lucia|St. Lucia; vc Saint Vincent and the Grenadines|St. Vincent
and the Grenadines; ws Samoa; sm San Marino; st Sao Tome and Principe; sa Saudi Arabia; sn Senegal; rs Serbia|Serbia
and Montenegro; sc Seychelles; sl Sierra Leone; sg Singapore; sx Sint Maarten; sk Slovakia|Slovak Republic; si
Slovenia; sb Solomon Islands; so Somalia; za South Africa; ss South Sudan; es Spain; lk Sri Lanka; sd Sudan|The Sudan;
sr Suriname; se Sweden; ch Switzerland; sy Syria|Syrian Arab Republic; tw Taiwan; tj Tajikistan; tz Tanzania|United
Republic of Tanzania|Tanzania, United Republic of; th Thailand; tl Timor-Leste|East Timor; tg Togo; to Tonga; tt
Trinidad and Tobago; tn Tunisia; tr Turkey|Türkiye|Turkiye; tm Turkmenistan; tc Turks and Caicos Islands; tv Tuvalu;
ug Uganda; ua Ukraine; ae United Arab Emirates|UAE; gb United Kingdom|United Kingdom of Great Britain and Northern
Ireland|Great Britain|UK; us United States|United States of America|USA; uy Uruguay; uz Uzbekistan; vu Vanuatu; va
Vatican City|Holy See; ve Venezuela|Venezuela (Bolivarian Republic of); vn Vietnam|Viet Nam; vg Virgin Islands,
British|British Virgin Islands; vi Virgin Islands, U.S.|US Virgin Islands; eh Western Sahara; ye Yemen; zm Zambia; zw
Zimbabwe
"""


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in " ".join(_NAMES.split()).split("; "):
        code, _, names = line.partition(" ")
        found |= dict.fromkeys((code, *(name.casefold() for name in names.split("|"))), code.upper())
    return found


COUNTRIES = MappingProxyType(_table())
"""Codes by name or code, in folded case."""


def country_code(text: str) -> str:
    """The code of a country; the text itself if it is not known here, so that nothing is lost."""
    return COUNTRIES.get(text.strip().rstrip(".").replace("’", "'").casefold(), text)
