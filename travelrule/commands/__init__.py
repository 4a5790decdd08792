"""The command line's commands: options, work and output of each; the application is ``travelrule.cli``.

May not contain rules of the exchange: those are in the engine and below.
Start at ``invocation.py`` (settings, errors, exit codes) and the file or folder named after the command.
"""
