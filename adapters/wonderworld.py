"""WonderWorld (KovenYu/WonderWorld), the explicit-3D reference: a renderer of Gaussians, not a video model.

It shows a scene from any pose, so that revisits agree by construction: an upper bound, not a competitor. The
program is a socket.io server (512 x 512); `views.json` holds its `render-pose` events in order, and the
option `client` names your client, which sends them, writes the frames it gets back to `--out`, and first has
the scene built.

A view is 16 numbers, a 4 x 4 matrix row by row in the **row-vector** convention: the translation is in the
last row. The server negates the first two columns and reads the result as a PyTorch3D camera (x left, y up, z
ahead); the identity is (-1,0,0,0)(0,-1,0,0)(0,0,1,0)(0,0,0,1). It divides translations by 1000.

Known from: matrix order and division were read in the repository and in copies of
`get_camera_by_js_view_matrix`. The scene's unit comes from estimated depth: `units_per_metre` has to be
given. There is no licence file, so all rights are reserved.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.base import PoseAdapter, Written, units_option
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from revisit_metric.trajectory import Poses, invert

XYZ_SCALE = 1000.0
_FLIP = np.diag([-1.0, -1.0, 1.0, 1.0])


def views(path: Poses) -> NDArray[np.float64]:
    """View matrices of the socket event, `(T, 16)`.

    Example:
        >>> views(np.eye(4)[None])[0].reshape(4, 4)[0].tolist()
        [-1.0, 0.0, 0.0, 0.0]
    """
    # A point of the server's world is ours with x and y negated; as a row vector it meets the transposed matrix.
    matrices = _FLIP @ invert(path).transpose(0, 2, 1)
    matrices[:, 3, :3] *= XYZ_SCALE
    flat: NDArray[np.float64] = matrices.reshape(-1, 16) + 0.0  # -0.0 becomes 0.0
    return flat


class WonderWorld(PoseAdapter):
    """One render event a frame."""

    spec = Spec(
        model="wonderworld",
        revision="KovenYu/WonderWorld at cae41f9",
        input_form="views.json: render-pose events for your client",
        fps=None,
        grid=Grid(1, 1, "any"),
        resolution=(512, 512),
        convention="row-vector view matrix, x and y negated",
        scale="units of the estimated depth, times 1000",
        scale_normalised=False,
        overlay="none drawn",
        licence="none stated: all rights reserved",
        facts=Facts(
            verified=(
                "16 numbers, row-vector, translation in the last row, divided by 1000",
                "first two columns negated before PyTorch3D",
            ),
            unknown=("units in a metre: depends on the image's estimated depth",),
        ),
        options=(
            units_option(None, "the scene's depth units in a metre"),
            Option("client", "your socket.io client that replays views.json and writes a video"),
        ),
    )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `views.json`."""
        file = folder / "views.json"
        file.write_text(json.dumps({"event": "render-pose", "views": views(path).tolist()}), encoding="utf-8")
        return Written((file,))

    def command(self) -> Command:
        """Your client."""
        argv = ("python", self.options["client"], "--image", "{image}", "--prompt", "{prompt}")
        return Command((*argv, "--views", "{inputs}/views.json", "--out", "{out}/video.mp4"), "video.mp4")
