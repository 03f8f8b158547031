"""A folder of your own images and prompts, as scenes.

The folder is searched with its subfolders; hidden files are skipped. A scene's id is the file name without
its ending. Its prompt stands in a text file of the same name (`room.jpg`, `room.txt`), or in one table
(`metadata.csv` or `metadata.jsonl` in the folder, or a file named by the caller); see `prompts`.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from dataset_builder.findings import BuildError, Findings
from dataset_builder.images import SUFFIXES, ImageError, broken_rules, image_facts
from dataset_builder.prompts import Label, PromptError, plain_name, read_labels, read_prompt
from dataset_builder.scenes import UNSTATED, Scene, check_ids

TABLES = ("metadata.csv", "metadata.jsonl")


def read_folder_scenes(
    folder: Path,
    *,
    prompts: Path | None = None,
    licence: str | None = None,
    waived: tuple[str, ...] = (),
) -> list[Scene]:
    """Read and check a folder of images, in the order of their scene ids.

    Args:
        folder: See the module's docstring.
        prompts: The table of prompts, where it is not in the folder.
        licence: Of the images for which the table states none.
        waived: Inclusion rules of `images.RULES` not to apply.

    Raises:
        BuildError: Every fault of every file: an image that is unreadable, refused or breaks an inclusion
            rule, two images with one id or of the same bytes, an image without a prompt, a prompt without an
            image, a prompt file in another encoding, no image at all.
    """
    files = _files(folder)
    images = [path for path in files if path.suffix.lower() in SUFFIXES]
    if not images:
        raise BuildError(f"{folder}: no image: looked for {', '.join(SUFFIXES)}, also in its subfolders")
    findings = Findings()
    labels = _labels(folder, images, files, prompts, findings)
    scenes = []
    for path in images:
        label = labels.get(path, Label())
        if label.prompt is None and path not in labels:
            findings.add(path, f"no prompt: write {path.with_suffix('.txt').name}, or a row in {TABLES[0]}")
        scene = _scene(path, label, licence, waived, findings)
        scenes += [scene] if scene else []
    check_ids(scenes, findings)
    _check_copies(images, findings)
    findings.raise_any(f"{folder}: the folder cannot be used")
    return sorted(scenes, key=lambda scene: scene.scene_id)


def left_out(folder: Path) -> list[Path]:
    """Files in a folder of scenes that are neither images nor prompts."""
    taken = {*SUFFIXES, ".txt"}
    return [path for path in _files(folder) if path.suffix.lower() not in taken and path.name not in TABLES]


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise BuildError(f"{folder}: no such folder")
    parts = ((path, path.relative_to(folder).parts) for path in folder.rglob("*") if path.is_file())
    return sorted(path for path, names in parts if not any(name.startswith(".") for name in names))


def _labels(
    folder: Path, images: Iterable[Path], files: Iterable[Path], prompts: Path | None, findings: Findings
) -> dict[Path, Label]:
    """Labels by image; what the table and the text files say, and the faults of both."""
    by_name = {plain_name(path.relative_to(folder).as_posix()): path for path in images}
    labels = _table_labels(folder, prompts, by_name, findings)
    by_stem = {path.with_suffix(""): path for path in by_name.values()}
    for text in (path for path in files if path.suffix.lower() == ".txt"):
        image = by_stem.get(text.with_suffix(""))
        if image is None:
            findings.add(text, "a prompt without an image of the same name")
            continue
        labels[image] = _with_prompt(labels.get(image, Label()), text, findings)
    return labels


def _table_labels(
    folder: Path, prompts: Path | None, by_name: Mapping[str, Path], findings: Findings
) -> dict[Path, Label]:
    tables = [prompts] if prompts else [folder / name for name in TABLES if (folder / name).is_file()]
    if len(tables) > 1:
        findings.add(folder, f"holds {' and '.join(TABLES)}: keep one")
    try:
        rows = read_labels(tables[0]) if tables else {}
    except PromptError as error:
        findings.add(tables[0], error)
        return dict.fromkeys(by_name.values(), Label())  # one fault, not one more for each image
    for name in sorted(rows.keys() - by_name.keys()):
        findings.add(tables[0], f"names {name!r}, which is no image in {folder}")
    labels = {by_name[name]: label for name, label in rows.items() if name in by_name}
    for path, label in labels.items():
        if label.prompt is None and not path.with_suffix(".txt").is_file():
            findings.add(path, f"no prompt in its row of {tables[0]}")
    return labels


def _with_prompt(label: Label, text: Path, findings: Findings) -> Label:
    try:
        prompt = read_prompt(text)
    except PromptError as error:
        findings.add(text, error)
        return label
    if label.prompt is not None and label.prompt != prompt:
        findings.add(text, "another prompt than in the table: keep one")
    return Label(prompt, label.category, label.tags, label.licence, label.source)


def _scene(path: Path, label: Label, licence: str | None, waived: tuple[str, ...], findings: Findings) -> Scene | None:
    try:
        facts = image_facts(path)
    except ImageError as error:
        findings.add(path, error)
        return None
    for fault in broken_rules(facts, waived=waived):
        findings.add(path, fault)
    return Scene(
        scene_id=plain_name(path.stem),
        path=path,
        camera_size=(facts.width, facts.height),
        prompt=label.prompt or "",
        category=label.category,
        tags=label.tags,
        licence=label.licence or licence or UNSTATED,
        source=label.source or f"own image {path.name}",
    )


def _check_copies(images: Iterable[Path], findings: Findings) -> None:
    seen: dict[str, Path] = {}
    for path in images:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in seen:
            findings.add(path, f"the same bytes as {seen[digest]}: one scene counted twice")
        seen.setdefault(digest, path)
