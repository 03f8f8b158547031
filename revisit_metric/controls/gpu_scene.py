"""A scene on the graphics device: vertices, textures, occupancy and shadow map.

Conventions: internal to `renderer`; all uploads happen once per scene, only the part table and the index
lists of what is in view change afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.camera import box_corners, outside_view
from revisit_metric.controls.noise import clouds, uniform
from revisit_metric.controls.occupancy import occupancy
from revisit_metric.controls.scene import Scene
from revisit_metric.controls.table import PartTable, scene_layers
from revisit_metric.controls.textures import TEXTURES, texture

if TYPE_CHECKING:
    import moderngl

SHADOW_PX = 2048
# The part of the world that gets sun shadows, x and z, metres.
SHADOW_REGION = np.array([[-20.0, -12.0], [27.0, 26.0]])

_VERTEX = np.dtype([("position", "3f4"), ("normal", "3f4"), ("uv", "2f4"), ("row", "u4")])


class GpuScene:
    """Buffers and textures of one scene.

    Args:
        context: the moderngl context.
        programs: name -> program; each gets a vertex array over the same buffers.
        scene: what to upload.
    """

    def __init__(self, context: moderngl.Context, programs: dict[str, moderngl.Program], scene: Scene) -> None:
        self.scene, self._gl = scene, context
        vertices, self._indices = _geometry(scene)
        self.rows = context.texture((4, sum(len(p.surfaces) for p in scene.parts)), 4, dtype="f4")
        self.rows.filter = (context.NEAREST, context.NEAREST)
        self.textures = _texture_array(context, scene)
        self._vertices = context.buffer(vertices.tobytes())
        longest = max(sum(len(i) for i in group) for group in self._indices.values())
        self._index_buffer = context.buffer(reserve=max(longest, 1) * 4, dynamic=True)
        self._arrays = {name: self._vertex_array(context, p) for name, p in programs.items()}
        self._fill_occupancy(context)
        self._make_shadow(context)
        self._look: object = None
        self._geometry: object = None

    def _vertex_array(self, context: moderngl.Context, program: moderngl.Program) -> moderngl.VertexArray:
        # A program without some attribute (the probe has no normal) skips its bytes.
        fields = [("in_position", "3f4"), ("in_normal", "3f4"), ("in_uv", "2f4"), ("in_row", "1u4")]
        sizes = {"3f4": "12x", "2f4": "8x", "1u4": "4x"}
        layout = " ".join(f if name in program else sizes[f] for name, f in fields)
        names = [name for name, _ in fields if name in program]
        return context.vertex_array(program, [(self._vertices, layout, *names)], self._index_buffer)

    def _fill_occupancy(self, context: moderngl.Context) -> None:
        filled = occupancy(self.scene)
        z, y, x, channels = filled.voxels.shape
        self.occupied = context.texture3d((x, y, z), channels, filled.voxels.tobytes(), alignment=1)
        self.occupied.filter = (context.LINEAR, context.LINEAR)
        self.occupied.repeat_x = self.occupied.repeat_y = self.occupied.repeat_z = False
        self.box = filled.box

    def _make_shadow(self, context: moderngl.Context) -> None:
        self.shadow = context.depth_texture((SHADOW_PX, SHADOW_PX))
        self.shadow.compare_func = "<="
        self.shadow.filter = (context.LINEAR, context.LINEAR)
        self.shadow.repeat_x = self.shadow.repeat_y = False
        self._shadow_frame = context.framebuffer(depth_attachment=self.shadow)
        self.sun_clip, self.shadow_texel_m = _sun_view(self.scene)

    def update(self, table: PartTable) -> None:
        """Upload the table if it changed."""
        if table.look is not self._look:
            self.rows.write(np.ascontiguousarray(table.rows, np.float32).tobytes())
            self._look = table.look

    def shadows_outdated(self, table: PartTable) -> bool:
        """Whether the shadow map shows another state than `table`; it counts as redrawn from then on."""
        outdated = table.geometry is not self._geometry
        self._geometry = table.geometry
        return outdated

    def bind(self) -> None:
        """Bind what the shaders read to units 1 to 4."""
        self.rows.use(1)
        self.textures.use(2)
        self.shadow.use(3)
        self.occupied.use(4)

    def begin_shadow(self) -> None:
        """Bind and clear the shadow map."""
        self._shadow_frame.use()
        self._shadow_frame.clear(depth=1.0)

    def in_view(self, table: PartTable, clip: NDArray[np.float64]) -> NDArray[np.int64]:
        """Indices of the parts that may be seen, nearest first."""
        corners = box_corners(table.bounds)
        seen = np.flatnonzero(~self.scene.all_of_part(outside_view(corners, clip)))
        depth = corners @ clip[3, :3] + clip[3, 3]
        nearest = np.minimum.reduceat(depth.min(axis=1), self.scene.first_surface[:-1])
        return np.asarray(seen[np.argsort(nearest[seen], kind="stable")])

    def draw(self, parts: NDArray[np.int64], *, opaque: str, cutout: str) -> None:
        """Draw `parts` in order with the programs of these names."""
        for use, name in (("opaque", opaque), ("cutout", cutout)):
            # A leaf has no inside.
            (self._gl.disable if use == "cutout" else self._gl.enable)(self._gl.CULL_FACE)
            lists = [self._indices[use][p] for p in parts if len(self._indices[use][p])]
            if not lists:
                continue
            joined = np.concatenate(lists)
            self._index_buffer.orphan()
            self._index_buffer.write(joined.tobytes())
            self._arrays[name].render(vertices=len(joined))

    def release(self) -> None:
        """Free the device memory."""
        self._shadow_frame.release()
        for picture in (self.rows, self.textures, self.shadow, self.occupied):
            picture.release()
        for buffer in (self._vertices, self._index_buffer):
            buffer.release()
        for array in self._arrays.values():
            array.release()


def _geometry(scene: Scene) -> tuple[NDArray[np.void], dict[str, list[NDArray[np.uint32]]]]:
    """All vertices, and per use the index list of every part."""
    chunks: list[NDArray[np.void]] = []
    indices: dict[str, list[NDArray[np.uint32]]] = {"opaque": [], "cutout": []}
    start = row = 0
    for part in scene.parts:
        mine: dict[str, list[NDArray[np.uint32]]] = {"opaque": [], "cutout": []}
        for surface in part.surfaces:
            m = surface.mesh
            chunk = np.zeros(len(m.positions), _VERTEX)
            chunk["position"], chunk["normal"], chunk["uv"], chunk["row"] = m.positions, m.normals, m.uvs, row
            chunks.append(chunk)
            use = "cutout" if TEXTURES[surface.material.texture].use == "cutout" else "opaque"
            mine[use].append((m.triangles + start).astype(np.uint32).ravel())
            start, row = start + len(chunk), row + 1
        for use, lists in mine.items():
            indices[use].append(np.concatenate(lists) if lists else np.zeros(0, np.uint32))
    return np.concatenate(chunks), indices


def _texture_array(context: moderngl.Context, scene: Scene) -> moderngl.TextureArray:
    layers = [texture(layer.texture, layer.variant) for layer in scene_layers(scene)]
    array = context.texture_array((*layers[0].shape[:2], len(layers)), 4, np.stack(layers).tobytes())
    array.build_mipmaps()
    array.filter = (context.LINEAR_MIPMAP_LINEAR, context.LINEAR)
    array.anisotropy = 1.0
    return array


def cloud_texture(context: moderngl.Context) -> moderngl.Texture:
    """One channel of tileable noise for the sky."""
    field = uniform(clouds(np.random.default_rng(11), beta=2.5))
    made = context.texture(field.shape, 1, np.round(field * 255).astype(np.uint8).tobytes())
    made.filter = (context.LINEAR, context.LINEAR)
    return made


def _sun_view(scene: Scene) -> tuple[NDArray[np.float64], float]:
    """World to the shadow map's clip space (4, 4), and the size of one of its texels, metres."""
    low, high = scene.surface_bounds[:, 0].min(axis=0), scene.surface_bounds[:, 1].max(axis=0)
    low[[0, 2]] = np.maximum(low[[0, 2]], SHADOW_REGION[0])
    high[[0, 2]] = np.minimum(high[[0, 2]], SHADOW_REGION[1])
    ahead = -np.asarray(scene.light.to_sun) / np.linalg.norm(scene.light.to_sun)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(ahead, right), ahead])
    seen = box_corners(np.stack([low, high])[None])[0] @ axes.T
    middle, half = (seen.min(axis=0) + seen.max(axis=0)) / 2, (seen.max(axis=0) - seen.min(axis=0)) / 2 + 0.5
    matrix = np.eye(4)
    matrix[:3, :3] = axes / half[:, None]
    matrix[:3, 3] = -middle / half
    return matrix, float(2 * half[:2].max() / SHADOW_PX)
