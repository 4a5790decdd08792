"""The checks of ``travelrule doctor``: each answers for itself, within a limit, whatever became of the others."""
