"""Generation: the command of every instance and seed, on several devices, resumable.

A finished task leaves `done.json` beside its log: exit code, the arguments as run, the video with its hash,
and a hash of everything the video depends on (command template, input files, image, seed). A rerun skips a
task whose marker still fits and whose video is still there, and starts every other one afresh. A task that
fails is recorded with its cause and the rest goes on.
"""

import hashlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, NamedTuple

from adapters.folder import (
    COMMAND,
    DONE,
    INSTANCE,
    LOG,
    inputs_folder,
    locked,
    output_folder,
    read_command,
    read_export,
    read_json,
    tree_sha256,
    write_json,
)
from adapters.protocol import AdapterError, Command, Value


class Task(NamedTuple):
    """One video to generate."""

    instance_id: str
    seed: int
    argv: tuple[str, ...]
    out: Path
    key: str
    inputs_sha256: str

    @property
    def name(self) -> str:
        """For a log."""
        return f"{self.instance_id} seed {self.seed}"


class Outcome(NamedTuple):
    """How a task ended; `cause` is empty where it succeeded."""

    name: str
    state: str
    cause: str


OnOutcome = Callable[[Outcome], None]


def plan(folder: Path, model: str, *, seeds: Sequence[int]) -> tuple[Command, list[Task]]:
    """The command and its tasks, instance by instance.

    Raises:
        AdapterError: No export of that model there, a `<blank>` that is still to be filled in, an unknown
            placeholder, or several seeds for a command that takes none.
    """
    record, command = read_export(folder, model), read_command(folder)
    blanks = [word for word in command.argv if word.startswith("<") and word.endswith(">")]
    if blanks:
        raise AdapterError(f"{folder / COMMAND}: put your own in place of {', '.join(blanks)}")
    if len(seeds) > 1 and not any("{seed}" in word for word in command.argv):
        raise AdapterError("command.json has no {seed}: every seed would give the same video")
    return command, [_task(folder, command, name, seed) for name in record["instances"] for seed in seeds]


def _task(folder: Path, command: Command, instance_id: str, seed: int) -> Task:
    inputs, out = inputs_folder(folder, instance_id).resolve(), output_folder(folder, instance_id, seed).resolve()
    record = read_json(inputs / INSTANCE)
    image = folder.resolve() / record["image"]
    values: dict[str, Value] = {
        **record["values"],
        "image": str(image),
        "prompt": record["prompt"],
        "prompt_file": str(inputs / "prompt.txt"),
        "inputs": str(inputs),
        "out": str(out),
        "seed": seed,
    }
    inputs_sha256 = tree_sha256(inputs)
    depends = [command.argv, dict(command.env), command.cwd, command.video, seed, inputs_sha256]
    picture = hashlib.sha256(image.read_bytes()).hexdigest()
    key = hashlib.sha256(json.dumps([*depends, picture], sort_keys=True).encode()).hexdigest()
    return Task(instance_id, seed, filled(command.argv, values), out, key, inputs_sha256)


def filled(argv: Sequence[str], values: dict[str, Value]) -> tuple[str, ...]:
    """A command template with its placeholders filled.

    A placeholder that is a whole word and stands for a list becomes several arguments.

    Raises:
        AdapterError: An unknown placeholder, or a list in the middle of a word.

    Example:
        >>> filled(["run", "--keys", "{keys}", "--seed={seed}"], {"keys": ["w", "s"], "seed": 3})
        ('run', '--keys', 'w', 's', '--seed=3')
    """
    words: list[str] = []
    for word in argv:
        value = values.get(word[1:-1]) if word.startswith("{") and word.endswith("}") else None
        if isinstance(value, list):
            words.extend(value)
            continue
        try:
            words.append(word.format_map({k: v for k, v in values.items() if not isinstance(v, list)}))
        except (KeyError, IndexError, ValueError) as error:
            known = ", ".join("{" + name + "}" for name in values)
            raise AdapterError(
                f"command.json: {word!r} has no value for {error}; known are {known}; write {{{{ for a brace"
            ) from error
    return tuple(words)


def run(
    folder: Path,
    model: str,
    *,
    seeds: Sequence[int] = (0,),
    devices: Sequence[str | None] = (None,),
    timeout_s: float | None = None,
    on_outcome: OnOutcome = lambda outcome: None,
) -> list[Outcome]:
    """Generate every video of an export folder that is not there yet.

    Args:
        folder: The export folder.
        model: The adapter's name.
        seeds: One video each.
        devices: One worker each, as its `CUDA_VISIBLE_DEVICES`; `None` leaves the environment alone.
        timeout_s: Longest time for one video, seconds.
        on_outcome: Called when a task ends, from its worker.

    Returns:
        How every task ended, in the order of the plan.

    Raises:
        AdapterError: See `plan`; or another run is at work in the folder.
    """
    command, tasks = plan(folder, model, seeds=seeds)
    with locked(folder):
        return _Workers(command, devices, timeout_s, on_outcome).run(tasks)


class _Workers:
    """Threads that each wait for one child process."""

    def __init__(
        self, command: Command, devices: Sequence[str | None], timeout_s: float | None, on_outcome: OnOutcome
    ) -> None:
        self._command, self._timeout_s, self._on_outcome = command, timeout_s, on_outcome
        self._free: queue.Queue[str | None] = queue.Queue()
        for device in devices:
            self._free.put(device)
        self._n_workers = len(devices)
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock, self._stopping = threading.Lock(), False

    def run(self, tasks: Sequence[Task]) -> list[Outcome]:
        with ThreadPoolExecutor(self._n_workers) as threads:
            futures = [threads.submit(self._work, task) for task in tasks]
            try:
                return [future.result() for future in futures]
            except BaseException:
                # Children would outlive an interrupted run and hold their devices.
                self._stop()
                threads.shutdown(cancel_futures=True)
                raise

    def _stop(self) -> None:
        with self._lock:
            self._stopping = True
            children = tuple(self._children)
        for child in children:
            _end(child)

    def _work(self, task: Task) -> Outcome:
        if _is_done(task):
            outcome = Outcome(task.name, "kept", "")
        else:
            device = self._free.get()
            try:
                cause = self._generate(task, device)
            finally:
                self._free.put(device)
            outcome = Outcome(task.name, "failed" if cause else "generated", cause)
        self._on_outcome(outcome)
        return outcome

    def _generate(self, task: Task, device: str | None) -> str:
        """Run one task and leave its marker; returns why it failed, or nothing."""
        if task.out.exists():
            rmtree(task.out)  # what an earlier attempt left would pass for this one's video
        task.out.mkdir(parents=True)
        started = time.monotonic()
        with (task.out / LOG).open("wb") as log:
            exit_code, cause = self._child(task, device, log)
        video = None
        if not cause:
            video, cause = _video_of(task.out, self._command.video)
        marker: dict[str, Any] = {
            "ok": not cause,
            "cause": cause,
            "exit_code": exit_code,
            "argv": list(task.argv),
            "device": device,
            "seconds": round(time.monotonic() - started, 3),
            "key": task.key,
            "inputs_sha256": task.inputs_sha256,
            "video": None if video is None else video.relative_to(task.out).as_posix(),
            "video_sha256": None if video is None else hashlib.sha256(video.read_bytes()).hexdigest(),
        }
        write_json(task.out / DONE, marker)
        return cause

    def _child(self, task: Task, device: str | None, log: IO[bytes]) -> tuple[int | None, str]:
        env = {**os.environ, **self._command.env}
        if device is not None:
            env["CUDA_VISIBLE_DEVICES"] = device
        try:
            with self._lock:
                if self._stopping:
                    return None, "the run was interrupted before it started"
                child = subprocess.Popen(
                    task.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=env,
                    cwd=self._command.cwd,
                    start_new_session=True,
                )
                self._children.add(child)
        except OSError as error:
            return None, f"cannot start {task.argv[0]!r}: {error.strerror}; edit argv or cwd in command.json"
        try:
            code = child.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            _end(child)
            return child.returncode, f"not finished after {self._timeout_s:g} s"
        finally:
            with self._lock:
                self._children.discard(child)
        return code, "" if code == 0 else f"exit code {code}; see {task.out / LOG}"


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End a child and what it started: it leads a process group of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(5)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _video_of(out: Path, pattern: str) -> tuple[Path | None, str]:
    found = sorted(path for path in out.glob(pattern) if path.is_file() and path.stat().st_size)
    if len(found) == 1:
        return found[0], ""
    if not found:
        return None, f"no video {pattern!r} in {out}; see {LOG} there, or correct 'video' in command.json"
    names = ", ".join(path.relative_to(out).as_posix() for path in found)
    return None, f"several videos fit {pattern!r}: {names}; narrow 'video' in command.json"


def _is_done(task: Task) -> bool:
    if not (task.out / DONE).exists():
        return False
    try:
        marker = read_json(task.out / DONE)
    except AdapterError:
        return False  # written by something else, or cut off by a full disk: generate again
    if not marker.get("ok") or marker.get("key") != task.key:
        return False
    video = task.out / marker["video"]
    return video.is_file() and hashlib.sha256(video.read_bytes()).hexdigest() == str(marker["video_sha256"])
