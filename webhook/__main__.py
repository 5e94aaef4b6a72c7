"""``python -m webhook``: the same as the command ``resourceclass``."""

import sys

from webhook.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
