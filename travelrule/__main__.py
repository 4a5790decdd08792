"""``python -m travelrule`` is the same as ``travelrule``."""

from travelrule.cli import main

main()
