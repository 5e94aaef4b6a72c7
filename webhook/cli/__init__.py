"""The command line: argv and files become settings, settings become a running part.

The rule of this room: nothing is decided here that another room could decide, and whatever a command
does not need is not imported by it.
"""
