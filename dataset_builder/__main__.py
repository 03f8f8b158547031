"""`python -m dataset_builder`."""

import sys

from dataset_builder.cli import main

if __name__ == "__main__":
    sys.exit(main())
