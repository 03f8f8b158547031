"""What is wrong with the input, gathered first and told at once."""

from pathlib import Path


class BuildError(ValueError):
    """Input that no dataset can be built from; the message lists every finding and names its file."""


class Findings:
    """A list of faults. Whoever repairs a folder of images wants all of them, not the first.

    Example:
        >>> findings = Findings()
        >>> findings.add(Path("a.png"), "blank")
        >>> findings.add(Path("b.png"), "no prompt")
        >>> findings.raise_any("the folder cannot be used")
        Traceback (most recent call last):
        dataset_builder.findings.BuildError: the folder cannot be used (2 findings):
          a.png: blank
          b.png: no prompt
    """

    def __init__(self) -> None:
        self._lines: list[str] = []

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, where: Path | str, what: object) -> None:
        """Record one fault of one file; `what` may be an exception whose message names the file already."""
        text = str(what)
        self._lines.append(text if str(where) in text else f"{where}: {text}")

    def raise_any(self, heading: str) -> None:
        """Do nothing where nothing was found.

        Raises:
            BuildError: With every finding, one a line, in the order they were recorded.
        """
        if self._lines:
            count = f"{len(self)} finding{'s' if len(self) > 1 else ''}"
            raise BuildError("\n  ".join([f"{heading} ({count}):", *self._lines]))
