"""What all commands share: exit codes, and the type of the table they enter."""

import argparse
from typing import TypeAlias

EXIT_DONE, EXIT_INCOMPLETE, EXIT_REFUSED = 0, 1, 2

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
