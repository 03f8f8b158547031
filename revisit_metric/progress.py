"""What a person sees while rollouts are scored: a line for each finished one, bars for the rest."""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class RunProgress(Protocol):
    """What a display is told by the run."""

    def start(self, n_rollouts: int) -> None:
        """The run begins."""

    def rollout(self, rollout_id: str, n_frames: int) -> None:
        """A rollout is about to be decoded; `n_frames` of its frames are needed."""

    def frame(self, n_done: int) -> None:
        """That many of them have been scored."""

    def done(self, rollout_id: str, outcome: str) -> None:
        """The rollout is finished: "scored", "resumed", or the cause of its failure."""


class Silent:
    """Shows nothing."""

    def start(self, n_rollouts: int) -> None:
        """Show nothing."""

    def rollout(self, rollout_id: str, n_frames: int) -> None:
        """Show nothing."""

    def frame(self, n_done: int) -> None:
        """Show nothing."""

    def done(self, rollout_id: str, outcome: str) -> None:
        """Show nothing."""


class Bars:
    """Rich progress bars on standard error; plain lines where it is not a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._all = self._bars.add_task("rollouts", total=None)
        self._one = self._bars.add_task("frames", total=None, visible=False)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def start(self, n_rollouts: int) -> None:
        """Set the length of the rollout bar."""
        self._bars.update(self._all, total=n_rollouts)

    def rollout(self, rollout_id: str, n_frames: int) -> None:
        """Show the frame bar for this rollout."""
        self._bars.reset(self._one, total=n_frames, description=escape(rollout_id), visible=True)

    def frame(self, n_done: int) -> None:
        """Move the frame bar."""
        self._bars.update(self._one, completed=n_done)

    def done(self, rollout_id: str, outcome: str) -> None:
        """Write the rollout's line and move the rollout bar."""
        style = "green" if outcome in ("scored", "resumed", "rendered") else "red"
        self._console.print(f"[{style}]{escape(outcome):>9}[/{style}]  {escape(rollout_id)}", highlight=False)
        self._bars.update(self._one, visible=False)
        self._bars.advance(self._all)
