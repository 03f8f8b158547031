"""Draw the open reference set: stills of the reference world with measured tags and written prompts.

A still is the first frame of its world, drawn at `SIZE`, averaged down from `SUPERSAMPLE` samples a side, and stored
as JPEG without chroma subsampling. Renderers differ in the last bits between drivers, so the committed files are the
set; `check` draws again and compares within `MEAN_TOLERANCE` and `P99_TOLERANCE`.
"""

import hashlib
import io
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dataset_builder.findings import Findings
from dataset_builder.open_plan import Draft, read_plan
from dataset_builder.open_prompts import write_prompt
from dataset_builder.open_view import count_objects, free_space_m, measured_tags, sky_above, things, visible_instances
from dataset_builder.scenes import OPEN_FOLDER, OPEN_LICENCE
from revisit_metric.controls import Frame, Renderer, Scene, build_scene, clearance_m
from revisit_metric.templates import TEMPLATES

SIZE = (832, 480)
SUPERSAMPLE = 3
JPEG_QUALITY = 93

MIN_CLEARANCE_M = 0.4

MEAN_TOLERANCE = 1.5
"""Mean absolute difference, of 255, between a committed still and one drawn again."""
P99_TOLERANCE = 24.0
"""99th percentile of the same."""

LIST_FILE = "scenes.jsonl"
TILES_PER_SHEET = 25

_LICENCE_TEXT = f"""{OPEN_LICENCE}

The images and prompts in this folder were made by the developers of revisit-metric with its own reference world:
no photograph, model or texture of anyone else went into them. The developers dedicate them to the public domain
under the Creative Commons CC0 1.0 Universal dedication: https://creativecommons.org/publicdomain/zero/1.0/
"""


class Still(NamedTuple):
    """A drawn scene: its JPEG and its line of the list."""

    jpeg: bytes
    row: dict[str, Any]


class Difference(NamedTuple):
    """Between two pictures, of 255."""

    mean: float
    p99: float

    @property
    def within_tolerance(self) -> bool:
        """Whether they may be the same picture of two drivers."""
        return self.mean <= MEAN_TOLERANCE and self.p99 <= P99_TOLERANCE


def draw_set(folder: Path = OPEN_FOLDER, *, only: Collection[str] = ()) -> Iterator[str]:
    """Draw the scenes of the folder's plan, or `only` some, and write list and licence; yields each id when done.

    Lines of scenes that were not drawn stay as they are, unless the plan no longer holds them.

    Raises:
        ValueError: An id that the plan does not hold; a scene without the free space that the templates need.
        MissingRenderer: There is no OpenGL here.
    """
    plan = read_plan(folder)
    wanted = _wanted(plan, only)
    rows = {row["scene_id"]: row for row in read_rows(folder)}
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with Renderer(size=SIZE, supersample=SUPERSAMPLE) as renderer:
        for draft in wanted:
            still = draw(renderer, draft)
            (folder / still.row["file"]).write_bytes(still.jpeg)
            rows[draft.scene_id] = still.row
            _write_list(folder, [rows[d.scene_id] for d in plan if d.scene_id in rows])
            yield draft.scene_id
    (folder / "LICENSE").write_text(_LICENCE_TEXT, encoding="utf-8")


def _wanted(plan: list[Draft], only: Collection[str]) -> list[Draft]:
    unknown = sorted(set(only) - {draft.scene_id for draft in plan})
    if unknown:
        raise ValueError(f"the plan holds no scene {', '.join(unknown)}")
    return [draft for draft in plan if not only or draft.scene_id in only]


def read_rows(folder: Path = OPEN_FOLDER) -> list[dict[str, Any]]:
    """The list of the folder as it is, unchecked; empty where there is none."""
    path = folder / LIST_FILE
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write_list(folder: Path, rows: list[Mapping[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / LIST_FILE).write_text("".join(lines), encoding="utf-8")


def draw(renderer: Renderer, draft: Draft) -> Still:
    """Draw one scene, measure it and write its prompt.

    Raises:
        ValueError: Its start pose lacks the free space that the templates need.
    """
    scene = build_scene(draft.layout, draft.seed)
    clearance, free = _room(renderer, scene)
    if min(clearance, free) < MIN_CLEARANCE_M:
        raise ValueError(
            f"{draft.scene_id}: {draft.layout} with seed {draft.seed} leaves {clearance:.2f} m around the templates' "
            f"paths by bounding boxes, {free:.2f} m by depth; {MIN_CLEARANCE_M} m are needed"
        )
    frame = renderer.render(scene, np.eye(4))
    jpeg = encode(frame.rgb)
    row = _row(draft, scene, frame, jpeg) | {"clearance_m": round(clearance, 2), "free_space_m": round(free, 2)}
    sky = sky_above(renderer, scene)
    row["tags"] = measured_tags(row["objects"], sky)
    return Still(jpeg, row | {"sky_above": round(sky, 3)})


def _room(renderer: Renderer, scene: Scene) -> tuple[float, float]:
    """Least free space over the templates, by bounding boxes and by depth."""
    paths = [template.poses() for template in TEMPLATES.values()]
    return min(clearance_m(scene, p) for p in paths), min(free_space_m(renderer, scene, p) for p in paths)


def _row(draft: Draft, scene: Scene, frame: Frame, jpeg: bytes) -> dict[str, Any]:
    return {
        "scene_id": draft.scene_id,
        "file": f"images/{draft.scene_id}.jpg",
        "sha256": hashlib.sha256(jpeg).hexdigest(),
        "width": SIZE[0],
        "height": SIZE[1],
        "category": scene.category,
        "tags": [],
        "prompt": write_prompt(scene, things(scene, frame), key=draft.scene_id),
        "layout": draft.layout,
        "seed": draft.seed,
        "objects": count_objects(scene, frame),
        "instances": len(visible_instances(frame)),
        "sky": round(float((frame.instance == 0).mean()), 3),
    }


def encode(rgb: NDArray[np.uint8]) -> bytes:
    """The picture as the JPEG that is committed."""
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, format="JPEG", quality=JPEG_QUALITY, subsampling=0, optimize=True)
    return buffer.getvalue()


def decode(jpeg: bytes) -> NDArray[np.uint8]:
    """(H, W, 3) of a JPEG."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.asarray(image.convert("RGB"))


def difference(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> Difference:
    """How far apart two pictures of one size are.

    Example:
        >>> grey = np.full((2, 2, 3), 100, np.uint8)
        >>> difference(grey, grey + 1)
        Difference(mean=1.0, p99=1.0)
    """
    gap = np.abs(a.astype(np.int16) - b)
    return Difference(float(gap.mean()), float(np.percentile(gap, 99)))


def check_set(folder: Path = OPEN_FOLDER, *, only: Collection[str] = ()) -> Iterator[tuple[str, Difference]]:
    """Draw scenes again and compare them with the folder's; yields each id with its difference.

    Raises:
        BuildError: At the end, with everything that differs: a list that does not follow the plan, a file of other
            bytes than listed, a still out of tolerance, other tags or another prompt.
        MissingRenderer: There is no OpenGL here.
    """
    findings = Findings()
    rows = {row["scene_id"]: row for row in read_rows(folder)}
    with Renderer(size=SIZE, supersample=SUPERSAMPLE) as renderer:
        for draft in _wanted(read_plan(folder), only):
            row = rows.get(draft.scene_id)
            if row is None or (row["layout"], row["seed"]) != (draft.layout, draft.seed):
                findings.add(draft.scene_id, "the list does not follow the plan: draw it")
                continue
            yield draft.scene_id, _check(folder, row, draw(renderer, draft), findings)
    findings.raise_any(f"{folder}: drawn again, the open set differs")


def _check(folder: Path, row: Mapping[str, Any], again: Still, findings: Findings) -> Difference:
    name, data = row["scene_id"], (folder / row["file"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        findings.add(name, "the file's sha256 is not the listed one")
    for key in ("prompt", "tags", "category"):
        if row[key] != again.row[key]:
            findings.add(name, f"{key} is {row[key]!r}, drawn again {again.row[key]!r}")
    gap = difference(decode(data), decode(again.jpeg))
    if not gap.within_tolerance:
        findings.add(name, f"differs by {gap.mean:.2f} in the mean, {gap.p99:.0f} at the 99th percentile")
    return gap


def contact_sheets(folder: Path, file: Path) -> list[Path]:
    """Write sheets of 5 x 5 stills with their ids: `file` with -1, -2, ... before its suffix."""
    from PIL import ImageDraw

    width, height = SIZE[0] // 2, SIZE[1] // 2
    rows, written = read_rows(folder), []
    for start in range(0, len(rows), TILES_PER_SHEET):
        sheet = Image.new("RGB", (5 * width, 5 * height))
        pen = ImageDraw.Draw(sheet)
        for place, row in enumerate(rows[start : start + TILES_PER_SHEET]):
            x, y = place % 5 * width, place // 5 * height
            with Image.open(folder / row["file"]) as still:
                sheet.paste(still.resize((width, height), Image.Resampling.BOX), (x, y))
            label = f"{row['scene_id']} {row['layout']} {row['seed']}"
            pen.rectangle((x, y, x + 6 * len(label) + 6, y + 13), fill=(0, 0, 0))
            pen.text((x + 3, y + 1), label, fill=(255, 255, 255))
        path = file.with_stem(f"{file.stem}-{start // TILES_PER_SHEET + 1}")
        sheet.save(path, quality=88)
        written.append(path)
    return written
