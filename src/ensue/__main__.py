"""`python -m ensue`: the same as the `ensue` command."""

import sys

from ensue.cli import main

if __name__ == "__main__":
    sys.exit(main())
