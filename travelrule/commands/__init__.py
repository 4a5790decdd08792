"""The subcommands of ``travelrule`` (contract section 1), one file per group."""
