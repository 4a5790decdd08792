"""Names of countries as the lists write them, to ISO 3166-1 alpha-2 (and XK for Kosovo, as the lists use it)."""

from __future__ import annotations

from types import MappingProxyType

_NAMES = """
AF Afghanistan; AX Aland Islands; AL Albania; DZ Algeria; AS American Samoa; AD Andorra; AO Angola; AI Anguilla; AG
Antigua and Barbuda; AR Argentina; AM Armenia; AW Aruba; AU Australia; AT Austria; AZ Azerbaijan; BS Bahamas,
The|Bahamas; BH Bahrain; BD Bangladesh; BB Barbados; BY Belarus; BE Belgium; BZ Belize; BJ Benin; BM Bermuda; BT
Bhutan; BO Bolivia|Bolivia (Plurinational State of); BA Bosnia and Herzegovina; BW Botswana; BR Brazil; IO British
Indian Ocean Territory; BN Brunei|Brunei Darussalam; BG Bulgaria; BF Burkina Faso; BI Burundi; CV Cabo Verde|Cape
Verde; KH Cambodia; CM Cameroon; CA Canada; KY Cayman Islands; CF Central African Republic; TD Chad; CL Chile; CN
China|People's Republic of China; CO Colombia; KM Comoros; CG Congo, Republic of the|Congo|Republic of the Congo|Congo
(Republic); CD Congo, Democratic Republic of the|Democratic Republic of the Congo|Congo (Democratic Republic)|DRC; CK
Cook Islands; CR Costa Rica; CI Cote d'Ivoire|Cote d Ivoire|Côte d'Ivoire|Ivory Coast; HR Croatia; CU Cuba; CW
Curacao|Curaçao; CY Cyprus; CZ Czech Republic|Czechia; DK Denmark; DJ Djibouti; DM Dominica; DO Dominican Republic; EC
Ecuador; EG Egypt; SV El Salvador; GQ Equatorial Guinea; ER Eritrea; EE Estonia; SZ Eswatini|Swaziland; ET Ethiopia;
FK Falkland Islands; FO Faroe Islands; FJ Fiji; FI Finland; FR France; GA Gabon; GM Gambia, The|Gambia|The Gambia; GE
Georgia; DE Germany; GH Ghana; GI Gibraltar; GR Greece; GL Greenland; GD Grenada; GU Guam; GT Guatemala; GG Guernsey;
GN Guinea; GW Guinea-Bissau|Guinea Bissau; GY Guyana; HT Haiti; HN Honduras; HK Hong Kong|Hong Kong S.A.R.; HU
Hungary; IS Iceland; IN India; ID Indonesia; IR Iran|Iran (Islamic Republic of)|Iran, Islamic Republic of|Islamic
Republic of Iran; IQ Iraq; IE Ireland; IM Isle of Man|Man, Isle of; IL Israel; IT Italy; JM Jamaica; JP Japan; JE
Jersey; JO Jordan; KZ Kazakhstan; KE Kenya; KI Kiribati; KP Korea, North|North Korea|Democratic People's Republic of
Korea|Korea, Democratic People's Republic of|DPRK; KR Korea, South|South Korea|Republic of Korea|Korea, Republic of;
XK Kosovo; KW Kuwait; KG Kyrgyzstan|Kyrgyz Republic; LA Laos|Lao People's Democratic Republic; LV Latvia; LB Lebanon;
LS Lesotho; LR Liberia; LY Libya|Libyan Arab Jamahiriya; LI Liechtenstein; LT Lithuania; LU Luxembourg; MO
Macau|Macao; MG Madagascar; MW Malawi; MY Malaysia; MV Maldives; ML Mali; MT Malta; MH Marshall Islands; MR
Mauritania; MU Mauritius; MX Mexico; FM Micronesia; MD Moldova|Republic of Moldova|Moldova, Republic of; MC Monaco; MN
Mongolia; ME Montenegro; MS Montserrat; MA Morocco; MZ Mozambique; MM Burma|Myanmar|Myanmar (Burma); NA Namibia; NR
Nauru; NP Nepal; NL Netherlands|The Netherlands; NC New Caledonia; NZ New Zealand; NI Nicaragua; NE Niger; NG Nigeria;
NU Niue; MK North Macedonia|North Macedonia, The Republic of|Macedonia|Macedonia, The Former Yugoslav Republic of; NO
Norway; OM Oman; PK Pakistan; PW Palau; PS Palestinian|West Bank|Region: Gaza|Palestine|State of Palestine|Palestinian
Territory, Occupied|Occupied Palestinian Territories; PA Panama; PG Papua New Guinea; PY Paraguay; PE Peru; PH
Philippines; PL Poland; PT Portugal; PR Puerto Rico; QA Qatar; RO Romania; RU Russia|Russian Federation; RW Rwanda; KN
Saint Kitts and Nevis|St. Kitts and Nevis; LC Saint Lucia|St. Lucia; VC Saint Vincent and the Grenadines|St. Vincent
and the Grenadines; WS Samoa; SM San Marino; ST Sao Tome and Principe; SA Saudi Arabia; SN Senegal; RS Serbia|Serbia
and Montenegro; SC Seychelles; SL Sierra Leone; SG Singapore; SX Sint Maarten; SK Slovakia|Slovak Republic; SI
Slovenia; SB Solomon Islands; SO Somalia; ZA South Africa; SS South Sudan; ES Spain; LK Sri Lanka; SD Sudan|The Sudan;
SR Suriname; SE Sweden; CH Switzerland; SY Syria|Syrian Arab Republic; TW Taiwan; TJ Tajikistan; TZ Tanzania|United
Republic of Tanzania|Tanzania, United Republic of; TH Thailand; TL Timor-Leste|East Timor; TG Togo; TO Tonga; TT
Trinidad and Tobago; TN Tunisia; TR Turkey|Türkiye|Turkiye; TM Turkmenistan; TC Turks and Caicos Islands; TV Tuvalu;
UG Uganda; UA Ukraine; AE United Arab Emirates|UAE; GB United Kingdom|United Kingdom of Great Britain and Northern
Ireland|Great Britain|UK; US United States|United States of America|USA; UY Uruguay; UZ Uzbekistan; VU Vanuatu; VA
Vatican City|Holy See; VE Venezuela|Venezuela (Bolivarian Republic of); VN Vietnam|Viet Nam; VG Virgin Islands,
British|British Virgin Islands; VI Virgin Islands, U.S.|US Virgin Islands; EH Western Sahara; YE Yemen; ZM Zambia; ZW
Zimbabwe
"""


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in " ".join(_NAMES.split()).split("; "):
        code, _, names = line.partition(" ")
        found[code.casefold()] = code
        found |= dict.fromkeys((name.casefold() for name in names.split("|")), code)
    return found


COUNTRIES = MappingProxyType(_table())
"""Codes by name or code, in folded case."""


def country_code(text: str) -> str:
    """The code of a country; the text itself if it is not known here, so that nothing is lost."""
    return COUNTRIES.get(text.strip().rstrip(".").replace("’", "'").casefold(), text)
