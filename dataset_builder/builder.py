"""`RevisitBench`: the instances as a `datasets` builder, one row for each scene and trajectory.

Conventions:
    Order is scene by scene, and within a scene the three release templates before your own. `poses` are
    camera-to-world OpenCV matrices in metres, float64 `(T, 4, 4)`, the pose **at** each frame, frame 0 the
    identity; a row gives them back as nested lists, to the last bit. The step from frame i to i + 1 is the
    script's. `intrinsics` refer to an image of `image_width` x `image_height`; scale them to your model's
    size.

`load_dataset` no longer runs builders. Call this one directly, or build Parquet with `python -m
dataset_builder` and load that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import datasets
import numpy as np

from dataset_builder.findings import BuildError
from dataset_builder.folder import left_out, read_folder_scenes
from dataset_builder.images import RULES
from dataset_builder.prompts import CATEGORIES
from dataset_builder.release import read_release_scenes, release_templates, surplus_images
from dataset_builder.scenes import OPEN_FOLDER, Scene, read_open_scenes
from revisit_metric import __version__
from revisit_metric.script import script_to_rows
from revisit_metric.templates import TEMPLATES, Template, register, release_intrinsics, template_from_yaml

SPLIT = "test"
"""The only split: nobody should train on a benchmark."""

FPS = 16.0
"""The release's 480 steps last 30 seconds."""

_OPTIONS = {
    "open": {"scenes", "templates"},
    "official": {"release", "images", "labels"},
    "custom": {"scenes", "prompts", "licence", "waived", "templates"},
}
CONFIGS = tuple(_OPTIONS)


@dataclass(eq=False)
class RevisitBenchConfig(datasets.BuilderConfig):  # type: ignore[misc]  # `datasets` has no types
    """Where a configuration takes its scenes from.

    Attributes:
        scenes: `open`: another folder laid out like the committed one. `custom`: the folder of images.
        prompts: `custom`: the table of prompts, where it is not in the folder.
        licence: `custom`: licence of the images for which the table states none.
        waived: `custom`: inclusion rules not to apply, of "size", "blank", "blur".
        release: `official`: checkout of the release's code repository.
        images: `official`: folder of its images, or "GD-ML/R2MBench@<commit>".
        labels: `official`: a table of categories and tags, which the release does not have.
        templates: `open`, `custom`: YAML files of trajectories besides the three.
    """

    scenes: str | Path | None = None
    prompts: str | Path | None = None
    licence: str | None = None
    waived: tuple[str, ...] = ()
    release: str | Path | None = None
    images: str | Path | None = None
    labels: str | Path | None = None
    templates: tuple[str | Path, ...] = ()

    def create_config_id(self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None) -> str:
        """Name of the cache folder; changed inputs get another one."""
        stamped = {**config_kwargs, "inputs": self._fingerprint()}
        return str(super().create_config_id(stamped, custom_features))

    def check_options(self) -> None:
        """Refuse options that this configuration would ignore, and ask for those it needs.

        Raises:
            BuildError: Naming the option.
        """
        own = {field.name for field in fields(RevisitBenchConfig)} - {
            field.name for field in fields(datasets.BuilderConfig)
        }
        for name in sorted(own):
            if getattr(self, name) and name not in _OPTIONS[self.name]:
                takes = ", ".join(sorted(_OPTIONS[self.name]))
                raise BuildError(f"config {self.name!r} takes no {name!r}; it takes {takes}")
        for name in {"official": ("release", "images"), "custom": ("scenes",)}.get(self.name, ()):
            if not getattr(self, name):
                raise BuildError(f"config {self.name!r} needs {name!r}")
        for rule in self.waived:
            if rule not in RULES:
                raise BuildError(f"{rule!r} is no inclusion rule; they are {', '.join(RULES)}")

    def all_templates(self) -> list[Template]:
        """The three release templates, then the user's, which are registered.

        Raises:
            TemplateError: A file is not a template, or its name is taken.
        """
        return [*release_templates(), *(_registered(path) for path in self.templates)]

    def read_scenes(self) -> list[Scene]:
        """The scenes in their order.

        Raises:
            BuildError: Everything that is wrong with the inputs.
        """
        self.check_options()
        if self.name == "official":
            labels = Path(self.labels) if self.labels else None
            return read_release_scenes(Path(str(self.release)), images=str(self.images), labels=labels)
        if self.name == "open":
            return read_open_scenes(Path(self.scenes or OPEN_FOLDER))
        prompts = Path(self.prompts) if self.prompts else None
        return read_folder_scenes(Path(str(self.scenes)), prompts=prompts, licence=self.licence, waived=self.waived)

    def left_out(self) -> list[Path]:
        """Files beside the inputs that no row was made of."""
        if self.name == "official":
            return surplus_images(Path(str(self.release)), str(self.images))
        return left_out(Path(str(self.scenes))) if self.name == "custom" else []

    def _fingerprint(self) -> str:
        folder = self.scenes or (OPEN_FOLDER if self.name == "open" else None)
        inputs = [folder, self.prompts, self.release, self.images, self.labels, *self.templates]
        stamps = [__version__, *(_stamp(Path(path)) for path in inputs if path)]
        return str(datasets.fingerprint.Hasher.hash(stamps))


def _stamp(path: Path) -> list[tuple[str, int, int]]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.is_file() else []
    return [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]


def _registered(path: str | Path) -> Template:
    entry = template_from_yaml(path)
    return entry if TEMPLATES.get(entry.name) == entry else register(entry)


def instance_features(templates: list[Template]) -> datasets.Features:
    """Types of a row; `poses` has a fixed number of frames where all templates share it."""
    lengths = {len(entry.poses()) for entry in templates}
    frames = lengths.pop() if len(lengths) == 1 else None
    text = datasets.Value("string")
    return datasets.Features(
        {
            "instance_id": text,
            "scene_id": text,
            "image": datasets.Image(),
            "prompt": text,
            "trajectory": datasets.ClassLabel(names=[entry.name for entry in templates]),
            "script": [{"action": text, "frames": datasets.Value("int32")}],
            "poses": datasets.Array3D(shape=(frames, 4, 4), dtype="float64"),
            "intrinsics": datasets.Array2D(shape=(3, 3), dtype="float64"),
            "image_width": datasets.Value("int32"),
            "image_height": datasets.Value("int32"),
            "fps": datasets.Value("float64"),
            "category": datasets.ClassLabel(names=list(CATEGORIES)),
            "tags": [text],
            "licence": text,
            "source": text,
        }
    )


def instance_row(scene: Scene, entry: Template, image: dict[str, Any]) -> dict[str, Any]:
    """One instance: a scene's image and prompt with one trajectory.

    Args:
        scene: The scene.
        entry: The trajectory.
        image: The scene's image as `Scene.image` gives it.
    """
    width, height = scene.camera_size
    return {
        "instance_id": f"{scene.scene_id}/{entry.name}",
        "scene_id": scene.scene_id,
        "image": image,
        "prompt": scene.prompt,
        "trajectory": entry.name,
        "script": script_to_rows(entry.script),
        "poses": np.array(entry.poses()),
        "intrinsics": release_intrinsics(width, height),
        "image_width": width,
        "image_height": height,
        "fps": FPS,
        "category": scene.category,
        "tags": list(scene.tags),
        "licence": scene.licence,
        "source": scene.source,
    }


class RevisitBench(datasets.GeneratorBasedBuilder):  # type: ignore[misc]  # `datasets` has no types
    """The benchmark's instances; see the module's docstring and `RevisitBenchConfig`.

    Raises:
        BuildError: On preparation, with everything that is wrong with the inputs.
    """

    BUILDER_CONFIG_CLASS = RevisitBenchConfig
    BUILDER_CONFIGS = (
        RevisitBenchConfig(name="open", description="Reference scenes of our own, CC0."),
        RevisitBenchConfig(name="official", description="R2M-Bench's own scenes, from its authors' files."),
        RevisitBenchConfig(name="custom", description="Images and prompts of the user's."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("dataset_name", "revisit_bench")  # else the cache folder is named after this module
        super().__init__(*args, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        self.config.check_options()
        return datasets.DatasetInfo(
            description=self.config.description, features=instance_features(self.config.all_templates())
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [datasets.SplitGenerator(name=SPLIT, gen_kwargs={"scenes": self.config.read_scenes()})]

    def _generate_examples(self, scenes: list[Scene]) -> Iterator[tuple[str, dict[str, Any]]]:
        templates = self.config.all_templates()
        for scene in scenes:
            image = scene.image()
            for entry in templates:
                row = instance_row(scene, entry, image)
                yield row["instance_id"], row
