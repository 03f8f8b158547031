"""`python -m adapters`."""

import sys

from adapters.cli import main

if __name__ == "__main__":
    sys.exit(main())
