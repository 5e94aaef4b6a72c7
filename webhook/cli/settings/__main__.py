"""`python -m webhook.cli.settings` prints the tables of docs/configuration.md."""

import sys

from webhook.cli.settings.tables import tables

sys.stdout.write(tables() + "\n")
