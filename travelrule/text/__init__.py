"""Scripts, transliteration to Latin letters, and the legal forms of companies: what screening and identity share.

Does no input or output and keeps no state; imports nothing of the other rooms. Start at ``latin_letters``.
"""
