"""travelrule."""
