"""The offline renderer of the reference world: moderngl over EGL, no display and no graphics card needed.

Conventions: poses are camera-to-world OpenCV, metres; frames are uint8 sRGB (H, W, 3), row 0 on top. The
colour of a pixel may be supersampled; depth (metres along the optical axis, inf for sky) and instance ids
are those of the pixel's middle. Equal arguments give equal bytes on one machine and driver; other drivers
differ slightly.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls import shaders
from revisit_metric.controls.camera import clip_matrix, view_reach
from revisit_metric.controls.gpu_scene import GpuScene, cloud_texture
from revisit_metric.controls.scene import Light, Scene
from revisit_metric.controls.table import PartTable

if TYPE_CHECKING:
    import moderngl

_HINT = (
    "the reference renderer needs moderngl and a software OpenGL over EGL: "
    "`pip install 'revisit-metric[controls]'`, and on Debian or Ubuntu "
    "`apt install libegl1 libgl1 libgl1-mesa-dri`"
)


class MissingRenderer(RuntimeError):  # noqa: N818 - reads as what it says in an except clause
    """moderngl or EGL is absent; the message names the extra and the system packages."""


class Frame(NamedTuple):
    """One rendered view.

    Attributes:
        rgb: uint8 (H, W, 3), sRGB.
        depth: float32 (H, W), metres along the optical axis; inf where the sky is.
        instance: uint32 (H, W), instance ids; 0 where the sky is.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    instance: NDArray[np.uint32]


def _context() -> moderngl.Context:
    try:
        import moderngl
    except ImportError as error:
        raise MissingRenderer(f"{_HINT} (moderngl: {error})") from error
    # Mesa and Triton, which torchvision and others load, each bring an LLVM; Triton's crashes if it comes second.
    with suppress(ImportError):
        import_module("triton")
    settings: Any = {"backend": "egl"}
    # Drivers and glcontext report a missing library, display or version in many types, none of them their own.
    try:
        return moderngl.create_context(require=330, standalone=True, **settings)
    except (ImportError, OSError, RuntimeError, ValueError, TypeError) as error:
        raise MissingRenderer(f"{_HINT} (EGL: {error})") from error
    except Exception as error:
        if type(error) is not Exception and type(error).__module__ != "moderngl":
            raise
        raise MissingRenderer(f"{_HINT} (EGL: {error})") from error


def available() -> tuple[bool, str]:
    """Whether frames can be rendered here, and why not.

    Returns:
        (True, name of the driver) or (False, reason with the packages to install).
    """
    try:
        context = _context()
    except MissingRenderer as error:
        return False, str(error)
    driver = str(context.info["GL_RENDERER"])
    context.release()
    return True, driver


class Renderer:
    """Renders scenes at one size; a context manager that owns an EGL context.

    Args:
        size: (width, height) of the frames, pixels.
        supersample: every pixel is the mean of this many by this many samples.

    Raises:
        MissingRenderer: moderngl or EGL is absent.
        ValueError: a size or factor below 1.

    Example:
        >>> from revisit_metric.controls import available, build_scene
        >>> def first_view() -> Frame:
        ...     with Renderer(size=(96, 54)) as renderer:
        ...         return renderer.render(build_scene("shape_gallery", 0), np.eye(4))
        >>> first_view().rgb.shape if available()[0] else (54, 96, 3)
        (54, 96, 3)
    """

    def __init__(self, *, size: tuple[int, int] = (320, 180), supersample: int = 1) -> None:
        if min(*size, supersample) < 1:
            raise ValueError(f"size {size} and supersample {supersample} must be at least 1")
        self.size, self.supersample = size, supersample
        self._gl = _context()
        gl = self._gl
        # Before the first frame: a later change would make frame 0 differ where faces coincide.
        gl.depth_func = "<="
        gl.enable(gl.DEPTH_TEST | gl.CULL_FACE)
        gl.front_face = "cw"
        self._programs = {name: self._program(*sources) for name, sources in _MESH_PROGRAMS.items()}
        self._sky = self._program(shaders.SCREEN_VERTEX, shaders.SKY_FRAGMENT)
        self._shrink = self._program(shaders.SCREEN_VERTEX, shaders.SHRINK_FRAGMENT)
        corners = gl.buffer(np.array([[-1, -1], [-1, 3], [3, -1]], np.float32).tobytes())
        self._sky_triangle = gl.vertex_array(self._sky, [(corners, "2f4", "in_corner")])
        self._shrink_triangle = gl.vertex_array(self._shrink, [(corners, "2f4", "in_corner")])
        self._cloud = cloud_texture(gl)
        width, height = size[0] * supersample, size[1] * supersample
        self._colour_texture = gl.texture((width, height), 4)
        self._colour = gl.framebuffer([self._colour_texture], gl.depth_renderbuffer((width, height)))
        self._small = gl.framebuffer([gl.texture(size, 4)]) if supersample > 1 else self._colour
        self._probes: dict[tuple[int, int], moderngl.Framebuffer] = {}
        self._loaded: GpuScene | None = None
        self._original: PartTable | None = None

    def _program(self, vertex: str, fragment: str) -> moderngl.Program:
        return self._gl.program(vertex_shader=vertex, fragment_shader=fragment)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the context and everything on it."""
        if self._loaded is not None:
            self._loaded.release()
            self._loaded = None
        self._gl.release()

    @property
    def driver(self) -> str:
        """Name of the OpenGL driver; bytes are reproducible per driver."""
        return f"{self._gl.info['GL_RENDERER']}, {self._gl.info['GL_VERSION']}"

    def render(self, scene: Scene, pose: ArrayLike, *, table: PartTable | None = None) -> Frame:
        """Colour, depth and instance ids of one view.

        Args:
            scene: the place; kept on the device until another one is rendered.
            pose: (4, 4) camera-to-world.
            table: the present state of the parts; as built where `None`.
        """
        depth, instance = self.render_masks(scene, pose, table=table)
        return Frame(self.render_rgb(scene, pose, table=table), depth, instance)

    def render_rgb(self, scene: Scene, pose: ArrayLike, *, table: PartTable | None = None) -> NDArray[np.uint8]:
        """Colour only, uint8 (H, W, 3): what rollouts need."""
        with self._gl:
            loaded, state = self._load(scene, table)
            # Masks need no shadows: a probe of another state must not cost two maps.
            if loaded.shadows_outdated(state):
                self._draw_shadow(loaded, state)
            clip = clip_matrix(pose, *self.size)
            self._colour.use()
            self._colour.clear(depth=1.0)
            self._light(loaded, np.asarray(pose, np.float64), clip)
            loaded.draw(loaded.in_view(state, clip), opaque="colour", cutout="colour cutout")
            self._sky_triangle.render()
            if self.supersample > 1:
                self._small.use()
                self._colour_texture.use(0)
                self._shrink["u_factor"] = self.supersample
                self._gl.disable(self._gl.DEPTH_TEST | self._gl.CULL_FACE)
                self._shrink_triangle.render()
                self._gl.enable(self._gl.DEPTH_TEST | self._gl.CULL_FACE)
            data = self._small.read(components=3, alignment=1)
        return np.frombuffer(data, np.uint8).reshape(self.size[1], self.size[0], 3)

    def render_masks(
        self,
        scene: Scene,
        pose: ArrayLike,
        *,
        table: PartTable | None = None,
        size: tuple[int, int] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
        """Depth (H, W) float32 and instance ids (H, W) uint32, at `size` or the renderer's own."""
        width, height = size or self.size
        with self._gl:
            loaded, state = self._load(scene, table)
            clip = clip_matrix(pose, width, height)
            target = self._probe(width, height)
            target.use()
            target.clear(depth=1.0)
            for name in ("probe", "probe cutout"):
                _write(self._programs[name], "u_clip", _glsl(clip))
            loaded.draw(loaded.in_view(state, clip), opaque="probe", cutout="probe cutout")
            data = target.read(components=2, dtype="f4", alignment=1)
        both = np.frombuffer(data, np.float32).reshape(height, width, 2)
        instance = both[..., 0].astype(np.uint32)
        return np.where(instance > 0, both[..., 1], np.float32(np.inf)), instance

    def _probe(self, width: int, height: int) -> moderngl.Framebuffer:
        if (width, height) not in self._probes:
            gl = self._gl
            picture = gl.texture((width, height), 2, dtype="f4")
            self._probes[width, height] = gl.framebuffer([picture], gl.depth_renderbuffer((width, height)))
        return self._probes[width, height]

    def _load(self, scene: Scene, table: PartTable | None) -> tuple[GpuScene, PartTable]:
        """The scene on the device, its table up to date, its textures bound."""
        if self._loaded is None or self._loaded.scene is not scene:
            if self._loaded is not None:
                self._loaded.release()
            self._loaded, self._original = GpuScene(self._gl, self._programs, scene), PartTable(scene)
            self._set_light(self._loaded, scene.light)
        loaded, state = self._loaded, table or self._original
        if state is None:
            raise RuntimeError("no table for a loaded scene; the renderer was closed")
        loaded.update(state)
        loaded.bind()
        self._cloud.use(5)
        return loaded, state

    def _draw_shadow(self, loaded: GpuScene, state: PartTable) -> None:
        loaded.begin_shadow()
        for name in ("shadow", "shadow cutout"):
            _write(self._programs[name], "u_clip", _glsl(loaded.sun_clip))
        # The map must not be bound for reading while it is drawn.
        self._cloud.use(3)
        loaded.draw(loaded.in_view(state, loaded.sun_clip), opaque="shadow", cutout="shadow cutout")
        loaded.shadow.use(3)

    def _set_light(self, loaded: GpuScene, light: Light) -> None:
        """Everything that stays for as long as the scene is loaded."""
        to_sun = np.asarray(light.to_sun) / np.linalg.norm(light.to_sun)
        values: dict[str, Any] = {
            "u_rows": 1,
            "u_textures": 2,
            "u_shadow": 3,
            "u_occupied": 4,
            "u_cloud": 5,
            "u_frame": 0,
            "u_to_sun": tuple(to_sun),
            "u_sun": light.sun,
            "u_zenith": light.zenith,
            "u_horizon": light.horizon,
            "u_fog": light.horizon,
            "u_sky_ambient": light.sky_ambient,
            "u_ground_ambient": light.ground_ambient,
            "u_clouds": light.clouds,
            "u_fog_per_m": light.fog_per_m,
            "u_shadow_texel": loaded.shadow_texel_m,
            "u_box_low": tuple(loaded.box[0]),
            "u_box_scale": tuple(1.0 / (loaded.box[1] - loaded.box[0])),
            "u_lamps": len(loaded.scene.lamps),
        }
        for program in (*self._programs.values(), self._sky, self._shrink):
            for name, value in values.items():
                if name in program:
                    program[name] = value
            if "u_lamp_place" in program:
                _write(program, "u_lamp_place", _lamp_block(loaded.scene, place=True))
                _write(program, "u_lamp_colour", _lamp_block(loaded.scene, place=False))
            if "u_sun_clip" in program:
                _write(program, "u_sun_clip", _glsl(loaded.sun_clip))

    def _light(self, loaded: GpuScene, pose: NDArray[np.float64], clip: NDArray[np.float64]) -> None:
        """What changes with the camera."""
        for name in ("colour", "colour cutout"):
            _write(self._programs[name], "u_clip", _glsl(clip))
            self._programs[name]["u_eye"] = tuple(pose[:3, 3])
        _write(self._sky, "u_to_world", _glsl(pose[:3, :3]))
        self._sky["u_reach"] = view_reach(*self.size)


def _write(program: moderngl.Program, name: str, data: bytes) -> None:
    uniform: Any = program[name]
    uniform.write(data)


def _glsl(matrix: NDArray[np.float64]) -> bytes:
    """Column-major float32 bytes."""
    return np.ascontiguousarray(matrix.T, np.float32).tobytes()


def _lamp_block(scene: Scene, *, place: bool) -> bytes:
    rows = np.zeros((8, 4 if place else 3), np.float32)
    for row, lamp in zip(rows, scene.lamps, strict=False):
        row[:] = (*lamp.position, 1.0 / lamp.reach_m**2) if place else lamp.colour
    return rows.tobytes()


_MESH_PROGRAMS = {
    "colour": (shaders.COLOUR_VERTEX, shaders.COLOUR_FRAGMENT),
    "colour cutout": (shaders.COLOUR_VERTEX, shaders.cutout(shaders.COLOUR_FRAGMENT)),
    "probe": (shaders.PROBE_VERTEX, shaders.PROBE_FRAGMENT),
    "probe cutout": (shaders.PROBE_VERTEX, shaders.cutout(shaders.PROBE_FRAGMENT)),
    "shadow": (shaders.PROBE_VERTEX, shaders.SHADOW_FRAGMENT),
    "shadow cutout": (shaders.PROBE_VERTEX, shaders.cutout(shaders.SHADOW_FRAGMENT)),
}
