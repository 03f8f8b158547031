"""Export: every instance in a model's own input, with requested and effective paths and what lies between them."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from adapters.folder import COMMAND, EXPORT, INSTANCE, SCHEMA, inputs_folder, read_json, save_path, write_json
from adapters.protocol import Adapter, AdapterError, Conversion, Instance, Residual
from revisit_metric import __version__


class Exported(NamedTuple):
    """What an export did.

    Attributes:
        residuals: Of every instance that was converted.
        failures: Instance and cause of those that could not be.
        command: "new", "kept" (edited, or exported before), or "outdated": kept because it was edited, though these
            options would give another one, which is under `command` in `export.json`.
    """

    residuals: dict[str, Residual]
    failures: dict[str, str]
    command: str


def export(
    name: str, adapter: Adapter, instances: Iterable[Instance], out: Path, *, options: dict[str, str]
) -> Exported:
    """Convert instances into `out`; an instance that cannot be converted is recorded and the rest goes on.

    Args:
        name: The adapter's name.
        adapter: The adapter.
        instances: What to convert.
        out: The export folder; exporting again replaces inputs and keeps `command.json`.
        options: The adapter's options, for the record.

    Raises:
        AdapterError: The folder holds another model's export.
    """
    earlier = _earlier_export(out, name)
    residuals: dict[str, Residual] = {}
    failures: dict[str, str] = {}
    for instance in instances:
        try:
            residuals[instance.instance_id] = _export_one(adapter, instance, out)
        except ValueError as error:
            failures[instance.instance_id] = str(error)
    record = {
        "schema": SCHEMA,
        "version": __version__,
        "model": name,
        "options": options,
        "spec": _plain(asdict(adapter.spec)),
        "instances": list(residuals),
        "failures": failures,
        "command": _plain(adapter.command()._asdict()),
    }
    command = _write_command(out / COMMAND, record["command"], earlier.get("command"))
    write_json(out / EXPORT, record)
    return Exported(residuals, failures, command)


def _earlier_export(out: Path, name: str) -> dict[str, Any]:
    if not (out / EXPORT).exists():
        return {}
    earlier = read_json(out / EXPORT)
    if earlier.get("model") != name:
        raise AdapterError(f"{out} holds an export for {earlier.get('model')!r}: take another folder for {name!r}")
    return earlier


def _write_command(path: Path, command: dict[str, Any], earlier: dict[str, Any] | None) -> str:
    """Write the template unless the user's edits would be lost; returns `Exported.command`."""
    if not path.exists() or read_json(path) == earlier != command:
        write_json(path, command)
        return "new"
    return "kept" if command in (earlier, read_json(path)) else "outdated"


def _export_one(adapter: Adapter, instance: Instance, out: Path) -> Residual:
    folder = inputs_folder(out, instance.instance_id)
    if folder.exists():
        rmtree(folder)  # files of other options would be read by nobody and hashed all the same
    folder.mkdir(parents=True)
    (folder / "prompt.txt").write_text(instance.prompt + "\n", encoding="utf-8")
    conversion = adapter.convert(instance, folder)
    write_json(folder / INSTANCE, _record(instance, conversion, out))
    return conversion.residual


def _record(instance: Instance, conversion: Conversion, out: Path) -> dict[str, Any]:
    name = instance.trajectory.replace("/", "_")
    return {
        "instance_id": instance.instance_id,
        "trajectory": instance.trajectory,
        "image": instance.image.relative_to(out.resolve()).as_posix(),
        "prompt": instance.prompt,
        "n_frames": len(conversion.effective) + conversion.first_frame,
        "first_frame": conversion.first_frame,
        "first_pose": conversion.first_pose,
        "requested": save_path(out, conversion.requested, name),
        "effective": save_path(out, conversion.effective, name),
        "residual": conversion.residual._asdict(),
        "values": dict(conversion.values),
        "notes": list(conversion.notes),
        "files": [file.relative_to(inputs_folder(out, instance.instance_id)).as_posix() for file in conversion.files],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
