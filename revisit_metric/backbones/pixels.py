"""The frame itself, for scores that compare pixels."""

from collections.abc import Mapping
from typing import ClassVar

from revisit_metric.backbones import require_rgb
from revisit_metric.families.protocol import Feature, Frames


class Pixels:
    """Keeps the 8-bit frame: `frame` uint8 `(H, W, 3)`, 1.2 MB at 832x480."""

    name = "pixels"
    weights: ClassVar[tuple[str, ...]] = ()

    def identity(self) -> Mapping[str, str]:
        """Return the version; nothing else shapes the feature."""
        return {"name": self.name, "version": "1"}

    def extract(self, frames: Frames) -> list[Feature]:
        """Return a copy of each frame, so that a kept feature never keeps its whole batch alive."""
        require_rgb(frames, ndim=4)
        return [{"frame": frame.copy()} for frame in frames]
