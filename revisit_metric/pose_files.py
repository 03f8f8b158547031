"""Camera paths in files, in the layouts that world models read and write.

Layouts, by suffix:
    `.json`: the benchmark's release, `{"0": {"extrinsic": 4x4, "K": 3x3}, "1": ...}`, camera-to-world.
    `.txt`: RealEstate10K, one line a frame: timestamp, fx fy cx cy over image width and height, two zeros,
        then the 12 numbers of a 3x4 **world-to-camera** matrix, row by row; the first line may be a header.
    `.npy`: one array `(T, 4, 4)` or `(T, 3, 4)`; nothing in it says which way it maps.
    `.npz`: such an array under a name that may say so (`c2w`, `cam_w2c`, ...), and optionally `intrinsics`.

Whatever the file, poses come back as float64 `(T, 4, 4)` camera-to-world, OpenCV axes (x right, y down, z
forward), in the file's own unit and world frame. A convention given by the caller wins over the one the
layout or the name states: files are mislabelled in the wild. Nothing is guessed from the numbers.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.trajectory import PoseError, Poses, invert, rebase, validate_poses, yaw_deg

Convention = Literal["c2w", "w2c"]
Intrinsics = NDArray[np.float64]
"""Camera matrices in pixels, `(N, 3, 3)`: one a frame, or a single one."""

_SAYS_C2W = re.compile(r"c2w|cam(era)?_?(2|to)_?world", re.IGNORECASE)
_SAYS_W2C = re.compile(r"w2c|world_?(2|to)_?cam(era)?", re.IGNORECASE)
_INTRINSICS = re.compile(r"intrinsics?|k|ks", re.IGNORECASE)
_TXT_HEADER = "timestamp fx fy cx cy k1 k2 world_to_camera_3x4"


class PoseFileError(PoseError):
    """A file that holds no camera path, or does not say how to read it."""


# --- reading ---


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, unless it names a key twice: Python would keep the last in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return found


def _json_frames(path: Path) -> list[Mapping[str, Any]]:
    """The frames of a release file, in numeric order."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except ValueError as error:
        raise PoseFileError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or not data:
        raise PoseFileError(
            f'{path}: expected {{"0": {{"extrinsic": ..., "K": ...}}, ...}}, found {type(data).__name__}'
        )
    for key, frame in data.items():
        if re.fullmatch(r"0|[1-9]\d*", key) is None:
            raise PoseFileError(f"{path}: key {key!r} is not a frame number")
        if not isinstance(frame, dict) or "extrinsic" not in frame:
            raise PoseFileError(f"{path}: frame {key} has no 'extrinsic'")
    missing = next((number for number in range(len(data)) if str(number) not in data), None)
    if missing is not None:
        raise PoseFileError(f"{path}: frame {missing} is missing; {len(data)} frames count from 0 without a gap")
    return [data[str(number)] for number in range(len(data))]


def _read_json(path: Path, convention: Convention | None) -> tuple[Any, Convention | None]:
    return [frame["extrinsic"] for frame in _json_frames(path)], "c2w"


def _txt_rows(path: Path) -> NDArray[np.float64]:
    """The lines of a RealEstate10K file as `(T, 19)`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise PoseFileError(f"{path}: not text: {error}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = line.split()
        try:
            row = [float(cell) for cell in cells]
        except ValueError as error:
            if number == 1:
                continue
            raise PoseFileError(f"{path}, line {number}: {error}") from error
        if number == 1 and len(row) == 1:
            continue  # a header that happens to be a number, such as a video id
        if row and len(row) != 19:
            raise PoseFileError(f"{path}, line {number}: {len(row)} columns, RealEstate10K has 19")
        if row:
            rows.append(row)
    if not rows:
        raise PoseFileError(f"{path}: no frames, expected lines of 19 numbers (RealEstate10K)")
    return np.array(rows)


def _read_txt(path: Path, convention: Convention | None) -> tuple[Any, Convention | None]:
    return _txt_rows(path)[:, 7:].reshape(-1, 3, 4), "w2c"


def _load(path: Path) -> Any:
    try:
        # From memory: given a path, NumPy leaves the file of a damaged archive open.
        return np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise PoseFileError(f"{path}: not a NumPy file of plain numbers: {error}") from error


def _read_npy(path: Path, convention: Convention | None) -> tuple[Any, Convention | None]:
    array = _load(path)
    if not isinstance(array, np.ndarray):
        raise PoseFileError(f"{path}: an .npz archive under the name .npy: rename it")
    return array, None


def _npz_arrays(path: Path) -> dict[str, NDArray[Any]]:
    archive = _load(path)
    if isinstance(archive, np.ndarray):
        raise PoseFileError(f"{path}: an .npy array under the name .npz: rename it")
    arrays = {}
    with archive:
        for name in archive.files:
            try:
                arrays[name] = archive[name]
            except (ValueError, zipfile.BadZipFile) as error:
                if "allow_pickle" not in str(error):
                    raise PoseFileError(f"{path}: array {name!r} is damaged: {error}") from error
                # Pickled objects are never loaded, and hold no poses.
                arrays[name] = np.empty(0, dtype=object)
    return arrays


def _said(name: str) -> Convention | None:
    """The convention that an array's name states, if it states one."""
    c2w, w2c = _SAYS_C2W.search(name) is not None, _SAYS_W2C.search(name) is not None
    return None if c2w == w2c else "c2w" if c2w else "w2c"


def _listing(arrays: Mapping[str, NDArray[Any]]) -> str:
    return ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "no array"


def _read_npz(path: Path, convention: Convention | None) -> tuple[Any, Convention | None]:
    arrays = _npz_arrays(path)
    shaped = {
        name: array
        for name, array in arrays.items()
        if array.ndim == 3 and array.shape[1:] in {(4, 4), (3, 4)} and not _INTRINSICS.fullmatch(name)
    }
    if not shaped:
        raise PoseFileError(f"{path}: no array of shape (T, 4, 4) or (T, 3, 4); it holds {_listing(arrays)}")
    if len(shaped) > 1 and convention is not None:
        shaped = {name: array for name, array in shaped.items() if _said(name) == convention} or shaped
    if len(shaped) > 1:
        raise PoseFileError(
            f"{path}: several arrays may be the poses: {_listing(shaped)}; "
            "keep one, or give the convention that only one of the names states"
        )
    ((name, array),) = shaped.items()
    return array, _said(name)


_READERS: dict[str, Callable[[Path, Convention | None], tuple[Any, Convention | None]]] = {
    ".json": _read_json,
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".txt": _read_txt,
}


def _motion(poses: Poses) -> str:
    """Where the camera goes, in words, for a message."""
    path = rebase(poses)
    far = path[int(np.argmax((path[:, :3, 3] ** 2).sum(axis=1))), :3, 3]
    axis = int(np.argmax(np.abs(far)))
    if abs(far[axis]) > 1e-9:
        return f"moves to {'-' if far[axis] < 0 else '+'}{'xyz'[axis]} by {abs(far[axis]):.3g}"
    yaw = yaw_deg(path)
    turn = float(yaw[int(np.argmax(np.abs(yaw)))])
    if abs(turn) > 1e-6:
        return f"turns {'right' if turn > 0 else 'left'} by {abs(turn):.3g} degrees"
    return "hardly moves"


def _resolve(path: Path) -> Path:
    if path.suffix.lower() not in _READERS:
        known = ", ".join(_READERS)
        raise PoseFileError(f"{path}: unknown suffix {path.suffix!r}, known are {known}")
    return path


def _existing(path: str | Path) -> Path:
    path = _resolve(Path(path))
    if not path.is_file():
        raise PoseFileError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    return path


def _check_convention(convention: str | None) -> None:
    if convention not in (None, "c2w", "w2c"):
        raise PoseFileError(
            f"convention is {convention!r}, expected 'c2w' (camera-to-world) or 'w2c' (world-to-camera)"
        )


def read_poses(path: str | Path, *, convention: Convention | None = None) -> Poses:
    """Read a camera path.

    Args:
        path: A file in one of the layouts of the module's docstring, told by its suffix.
        convention: `"c2w"` or `"w2c"`: what the matrices in the file are. Needed for `.npy`, and for an
            `.npz` whose array name does not say; elsewhere it overrules the layout.

    Returns:
        float64 `(T, 4, 4)` camera-to-world, OpenCV axes, not rebased.

    Raises:
        PoseFileError: No such file, an unknown suffix, a malformed file, a gap in the frame numbers, several
            candidate arrays, a convention that must be given, or matrices that `validate_poses` refuses.

    Example:
        >>> import tempfile
        >>> from revisit_metric.templates import template
        >>> file = Path(tempfile.mkdtemp()) / "path.json"
        >>> write_poses(file, template("closed_loop").poses())
        >>> bool((read_poses(file) == template("closed_loop").poses()).all())
        True
    """
    _check_convention(convention)
    path = _existing(path)
    raw, stated = _READERS[path.suffix.lower()](path, convention)
    try:
        matrices = validate_poses(raw)
    except PoseError as error:
        raise PoseFileError(f"{path}: {error}") from error
    meant = convention or stated
    if meant is None:
        raise PoseFileError(
            f"{path}: say what the matrices are: convention='c2w' (then the camera {_motion(matrices)}) "
            f"or convention='w2c' (then it {_motion(invert(matrices))})"
        )
    return matrices if meant == "c2w" else invert(matrices)


# --- intrinsics ---


def _check_intrinsics(path: Path, intrinsics: ArrayLike) -> Intrinsics:
    """Camera matrices from `(3, 3)`, `(N, 3, 3)`, or fx, fy, cx, cy as `(4,)` or `(N, 4)`."""
    try:
        values = np.asarray(intrinsics, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PoseFileError(f"{path}: intrinsics are not a numeric array: {error}") from error
    if values.shape[-1:] == (4,) and values.ndim in (1, 2):
        numbers = values.reshape(-1, 4)
        values = np.repeat(np.eye(3)[None], len(numbers), axis=0)
        values[:, [0, 1, 0, 1], [0, 1, 2, 2]] = numbers
    elif values.shape[-2:] == (3, 3) and values.ndim in (2, 3):
        values = values.reshape(-1, 3, 3)
    else:
        raise PoseFileError(f"{path}: intrinsics have shape {values.shape}, expected (3, 3), (N, 3, 3), (4,) or (N, 4)")
    focal = values[:, [0, 1], [0, 1]]
    if not len(values) or not np.isfinite(values).all() or (focal <= 0).any():
        raise PoseFileError(
            f"{path}: intrinsics must be finite with positive focal lengths, found {values[:1].tolist()}"
        )
    return values


def _check_size(path: Path, image_size: tuple[int, int] | None) -> None:
    if path.suffix.lower() != ".txt" and image_size is not None:
        raise PoseFileError(f"{path}: image_size is for .txt alone, the only layout that normalises intrinsics")
    if path.suffix.lower() == ".txt" and (image_size is None or min(image_size) <= 0):
        raise PoseFileError(
            f"{path}: image_size is {image_size}, expected the (width, height) that normalises the intrinsics"
        )


def read_intrinsics(path: str | Path, *, image_size: tuple[int, int] | None = None) -> Intrinsics:
    """Read the camera matrices that go with a path.

    Args:
        path: `.json` ("K"), `.npz` (`intrinsics` or `K`; matrices or rows of fx, fy, cx, cy) or `.txt`.
        image_size: (width, height) in pixels of the images; needed for `.txt` and only taken there.

    Returns:
        float64 `(N, 3, 3)` in pixels; N is the number of frames, or 1 where the file holds one camera.

    Raises:
        PoseFileError: The file holds no intrinsics, or malformed ones, or `image_size` is missing or out of
            place.

    Example:
        >>> import tempfile
        >>> from revisit_metric.templates import release_intrinsics, template
        >>> file = Path(tempfile.mkdtemp()) / "path.txt"
        >>> size, poses = (1920, 1080), template("closed_loop").poses()
        >>> write_poses(file, poses, intrinsics=release_intrinsics(*size), image_size=size)
        >>> read_intrinsics(file, image_size=(960, 540))[0].round(3).tolist()
        [[484.884, 0.0, 480.0], [0.0, 484.884, 270.0], [0.0, 0.0, 1.0]]
    """
    path = _existing(path)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        raise PoseFileError(f"{path}: an .npy file holds poses alone")
    _check_size(path, image_size)
    if suffix == ".txt" and image_size is not None:
        width, height = image_size
        return _check_intrinsics(path, _txt_rows(path)[:, 1:5] * [width, height, width, height])
    if suffix == ".json":
        frames = _json_frames(path)
        bare = next((number for number, frame in enumerate(frames) if "K" not in frame), None)
        if bare is not None:
            raise PoseFileError(f"{path}: frame {bare} has no 'K'")
        return _check_intrinsics(path, [frame["K"] for frame in frames])
    arrays = _npz_arrays(path)
    found = {name: array for name, array in arrays.items() if _INTRINSICS.fullmatch(name)}
    if len(found) != 1:
        raise PoseFileError(f"{path}: expected one array named intrinsics or K; it holds {_listing(arrays)}")
    return _check_intrinsics(path, next(iter(found.values())))


# --- writing ---


def _write_json(path: Path, poses: Poses, cameras: Intrinsics | None) -> None:
    # Python writes a float as the shortest text that reads back as the same bits.
    frames: dict[str, dict[str, Any]] = {str(i): {"extrinsic": pose.tolist()} for i, pose in enumerate(poses)}
    if cameras is not None:
        for i, camera in enumerate(cameras):
            frames[str(i)]["K"] = camera.tolist()
    path.write_text(json.dumps(frames), encoding="utf-8", newline="\n")


def _write_txt(path: Path, poses: Poses, cameras: Intrinsics, size: tuple[int, int]) -> None:
    if cameras[:, 0, 1].any():
        raise PoseFileError(f"{path}: RealEstate10K has no room for skew, found {cameras[0, 0, 1]}")
    width, height = size
    normalised = cameras[:, [0, 1, 0, 1], [0, 1, 2, 2]] / [width, height, width, height]
    if normalised[:, :2].min() < 0.02:
        raise PoseFileError(f"{path}: focal length {cameras[0, 0, 0]:.4g} for a width of {width}: normalised already?")
    matrices = invert(poses)[:, :3].reshape(-1, 12)
    lines = [_TXT_HEADER]
    for i, (camera, matrix) in enumerate(zip(normalised, matrices, strict=True)):
        numbers = [*camera.tolist(), 0.0, 0.0, *matrix.tolist()]
        lines.append(" ".join([str(i), *(f"{number:.17g}" for number in numbers)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _write_numpy(path: Path, matrices: Poses, name: str, cameras: Intrinsics | None) -> None:
    arrays: dict[str, Any] = {name: matrices} if cameras is None else {name: matrices, "intrinsics": cameras}
    # Through an open file: given a path, NumPy would add its own suffix to ".NPY".
    with path.open("wb") as file:
        if path.suffix.lower() == ".npy":
            np.save(file, matrices)
        else:
            np.savez(file, **arrays)


def _checked_cameras(path: Path, poses: Poses, intrinsics: ArrayLike | None) -> Intrinsics | None:
    if intrinsics is None:
        if path.suffix.lower() == ".txt":
            raise PoseFileError(f"{path}: RealEstate10K lines carry intrinsics: give intrinsics and image_size")
        return None
    if path.suffix.lower() == ".npy":
        raise PoseFileError(f"{path}: an .npy file holds poses alone: write intrinsics to .json, .npz or .txt")
    cameras = _check_intrinsics(path, intrinsics)
    if len(cameras) not in (1, len(poses)):
        raise PoseFileError(f"{path}: {len(cameras)} camera matrices for {len(poses)} poses")
    return np.repeat(cameras, len(poses), axis=0) if len(cameras) == 1 else cameras


def write_poses(
    path: str | Path,
    poses: ArrayLike,
    *,
    convention: Convention = "c2w",
    intrinsics: ArrayLike | None = None,
    image_size: tuple[int, int] | None = None,
) -> None:
    """Write a camera path in the layout of the file's suffix; `read_poses` reads it back.

    `.json`, `.npy` and `.npz` keep every bit of camera-to-world poses; `.txt`, and `"w2c"`, keep them to
    within 1e-12 of their size.

    Args:
        path: `.json`, `.npy`, `.npz` or `.txt`; overwritten.
        poses: Camera-to-world `(T, 4, 4)` or `(T, 3, 4)`, whatever is written.
        convention: What an `.npy` or `.npz` file is to hold; the array in an `.npz` is named after it.
            `.json` is always camera-to-world and `.txt` always world-to-camera.
        intrinsics: Camera matrices in pixels, `(3, 3)` for all frames or `(T, 3, 3)`, or fx, fy, cx, cy in
            place of a matrix. Needed for `.txt`; not for `.npy`.
        image_size: (width, height) in pixels that the intrinsics refer to; for `.txt` alone.

    Raises:
        PoseFileError: An unknown suffix, or an argument that the layout lacks or cannot hold.
        PoseError: See `validate_poses`.

    Example:
        >>> import tempfile
        >>> from revisit_metric.trajectory import integrate, parse_script
        >>> file = Path(tempfile.mkdtemp()) / "path.npz"
        >>> poses = integrate(parse_script("forward 3f"), metres_per_frame=0.5)
        >>> write_poses(file, poses, convention="w2c")
        >>> np.load(file)["w2c"][:, 2, 3].tolist(), read_poses(file)[:, 2, 3].tolist()
        ([0.0, -0.5, -1.0, -1.5], [0.0, 0.5, 1.0, 1.5])
    """
    path = _resolve(Path(path))
    suffix = path.suffix.lower()
    matrices = validate_poses(poses)
    _check_convention(convention)
    if suffix == ".json" and convention != "c2w":
        raise PoseFileError(f"{path}: the JSON layout is camera-to-world, it cannot hold {convention!r}")
    cameras = _checked_cameras(path, matrices, intrinsics)
    _check_size(path, image_size)
    if suffix == ".json":
        _write_json(path, matrices, cameras)
    elif suffix == ".txt" and cameras is not None and image_size is not None:
        _write_txt(path, matrices, cameras, image_size)
    else:
        _write_numpy(path, matrices if convention == "c2w" else invert(matrices), convention, cameras)
