"""Models that take one action for a block of many frames."""

from pathlib import Path
from typing import ClassVar

from adapters.base import BaseAdapter, Written, speed_note
from adapters.paths import residual_of
from adapters.protocol import Conversion, Instance
from adapters.quantise import in_blocks, without_holds
from revisit_metric.trajectory import Poses, Segment


class BlockAdapter(BaseAdapter):
    """The script is stretched to whole blocks, see `quantise.in_blocks`.

    Attributes:
        can_hold: Whether the model has an action for standing still.
    """

    can_hold: ClassVar[bool]

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        n_frames = self.grid.next_valid(instance.n_frames)
        script = instance.actions() if self.can_hold else without_holds(instance.actions())
        blocks = in_blocks(script, n_frames // self.grid.step)
        written = self.write(instance, folder, blocks)
        effective = self.path(instance, blocks)
        return Conversion(
            instance_id=instance.instance_id,
            files=written.files,
            requested=instance.poses,
            effective=effective,
            residual=residual_of(instance.poses, effective),
            values={"frames": n_frames, "blocks": n_frames // self.grid.step, **written.values},
            notes=(*written.notes, speed_note(instance.poses, effective)),
        )

    def write(self, instance: Instance, folder: Path, blocks: list[Segment]) -> Written:
        """Write the model's files; `frames` of a segment counts blocks."""
        raise NotImplementedError

    def path(self, instance: Instance, blocks: list[Segment]) -> Poses:
        """The path that the model follows, one pose a frame."""
        raise NotImplementedError
