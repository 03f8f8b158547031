"""`python -m dataset_builder` in its own process: build, load offline, publish to a stand-in of the Hub."""

import base64
import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import yaml
from PIL import Image

from revisit_metric.templates import TEMPLATES, release_intrinsics

ROOT = Path(__file__).parents[2]
TOKEN = "hf_made_up_for_this_test"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


# --- a stand-in of the Hub: the calls that huggingface_hub makes, kept in memory ---


class Repo:
    def __init__(self, *, private=False, pinned=None):
        self.private, self.pinned, self.files, self.commits = private, pinned, {}, []

    @property
    def sha(self):
        return self.pinned or hashlib.sha1("".join(self.commits).encode()).hexdigest()


class Hub:
    """Repositories of one loopback server, and what it was asked."""

    def __init__(self):
        self.repos, self.blobs, self.log, self.tokens = {}, {}, [], set()
        self.refuses_eval_yaml = False

    def commit(self, repo, lines):
        for line in lines[1:]:
            key, value = line["key"], line["value"]
            if key == "file" and value["path"] == "eval.yaml" and self.refuses_eval_yaml:
                return None
            if key == "file":
                repo.files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                repo.files[value["path"]] = self.blobs[value["oid"]]
            elif key == "deletedFile":
                del repo.files[value["path"]]
        repo.commits.append(lines[0]["value"]["summary"])
        return repo.sha


def lfs_batch(hub, url, asked):
    objects = []
    for entry in asked["objects"]:
        upload = {"upload": {"href": f"{url}/lfs/{entry['oid']}"}}
        objects.append(entry if entry["oid"] in hub.blobs else {**entry, "actions": upload})
    return {"transfer": "basic", "objects": objects}


def tree(repo, folder=""):
    inside = {path: data for path, data in repo.files.items() if path.startswith(folder)}
    files = [
        {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
        for path, data in inside.items()
    ]
    folders = {parent.as_posix() for path in inside for parent in list(Path(path).parents)[:-1]}
    return files + [{"type": "directory", "path": path, "oid": "0" * 40} for path in sorted(folders)]


def info(name, repo):
    siblings = [{"rfilename": path} for path in repo.files]
    return {
        "id": name,
        "sha": repo.sha,
        "private": repo.private,
        "siblings": siblings,
        "tags": [],
        "author": "me",
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self):
        return self.server.hub

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, content, status=200, headers=()):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def dispatch(self):
        path = unquote(urlsplit(self.path).path)
        self.hub.log.append(f"{self.command} {path}")
        self.hub.tokens.add(self.headers.get("Authorization"))
        data = self.body()
        for pattern, reply in self.routes:
            if match := re.fullmatch(pattern, f"{self.command} {path}"):
                return reply(self, data, **match.groupdict())
        return self.answer({"error": "no such page"}, 404, [("X-Error-Code", "EntryNotFound")])

    do_GET = do_HEAD = do_POST = do_PUT = dispatch  # noqa: N815

    def repo(self, name):
        return self.hub.repos[name]

    def create(self, data):
        asked = json.loads(data)
        name = f"{asked.get('organization') or 'me'}/{asked['name']}"
        if name in self.hub.repos:
            return self.answer({"error": "exists", "url": f"{self.url}/datasets/{name}"}, 409)
        self.hub.repos[name] = Repo(private="private" in (asked.get("visibility"), *asked))
        return self.answer({"url": f"{self.url}/datasets/{name}", "name": name})

    def upload(self, data, oid):
        if hashlib.sha256(data).hexdigest() != oid:
            return self.answer({"error": "checksum"}, 400)
        self.hub.blobs[oid] = data
        return self.answer({})

    def preupload(self, data, name):
        files = json.loads(data)["files"]
        modes = ({"path": f["path"], "uploadMode": "lfs" if ".parquet" in f["path"] else "regular"} for f in files)
        return self.answer({"files": [{**mode, "shouldIgnore": False} for mode in modes]})

    def commit(self, data, name):
        sha = self.hub.commit(self.repo(name), [json.loads(line) for line in data.splitlines()])
        if sha is None:
            return self.answer({"error": "eval.yaml: unknown evaluation_framework"}, 400)
        return self.answer({"commitUrl": f"{self.url}/datasets/{name}/commit/{sha}", "commitOid": sha})

    def resolve(self, data, name, path):
        content = self.repo(name).files.get(path)
        if content is None:
            return self.answer({"error": "no entry"}, 404, [("X-Error-Code", "EntryNotFound")])
        etag = hashlib.sha256(content).hexdigest()
        headers = [("ETag", f'"{etag}"'), ("X-Repo-Commit", self.repo(name).sha), ("Accept-Ranges", "bytes")]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(content, 200, headers)
        first, last = int(wanted[1]), min(int(wanted[2] or len(content) - 1), len(content) - 1)
        spans = f"bytes {first}-{last}/{len(content)}"
        return self.answer(content[first : last + 1], 206, [*headers, ("Content-Range", spans)])

    def paths_info(self, data, name):
        wanted = json.loads(data)["paths"]
        return self.answer([entry for entry in tree(self.repo(name)) if entry["path"] in wanted])

    routes = (
        (r"POST /api/repos/create", create),
        (r"POST /api/validate-yaml", lambda self, data: self.answer({"errors": [], "warnings": []})),
        (
            r"POST /datasets/(?P<name>[^/]+/[^/]+)\.git/info/lfs/objects/batch",
            lambda self, data, name: self.answer(lfs_batch(self.hub, self.url, json.loads(data))),
        ),
        (r"PUT /lfs/(?P<oid>\w+)", upload),
        (r"POST /api/datasets/(?P<name>[^/]+/[^/]+)/preupload/\w+", preupload),
        (r"POST /api/datasets/(?P<name>[^/]+/[^/]+)/commit/\w+", commit),
        (r"POST /api/datasets/(?P<name>[^/]+/[^/]+)/paths-info/\w+", paths_info),
        (
            r"GET /api/datasets/(?P<name>[^/]+/[^/]+)/tree/\w+/?(?P<folder>.*)",
            lambda self, data, name, folder: self.answer(tree(self.repo(name), folder)),
        ),
        (
            r"GET /api/datasets/(?P<name>[^/]+/[^/]+)(/revision/\w+)?",
            lambda self, data, name: self.answer(info(name, self.repo(name))),
        ),
        (r"(GET|HEAD) /datasets/(?P<name>[^/]+/[^/]+)/resolve/\w+/(?P<path>.+)", resolve),
    )


@pytest.fixture
def hub():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.hub = Hub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    server.hub.url = f"http://127.0.0.1:{server.server_port}"
    with contextlib.closing(server.socket):
        yield server.hub
        server.shutdown()
        thread.join()


# --- processes ---


def environment(home, hub=None, token=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    chosen = {
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_XET": "1",
        "OMP_NUM_THREADS": "1",
    }
    chosen |= {"HF_ENDPOINT": hub.url} if hub else {"HF_HUB_OFFLINE": "1"}
    return kept | chosen | ({"HF_TOKEN": token} if token else {})


def run(*arguments, home, hub=None, token=None):
    command = [sys.executable, "-m", "dataset_builder", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env=environment(home, hub, token), capture_output=True, text=True, timeout=120
    )


def python(code, *arguments, home, hub=None):
    """Run code in a fresh process, from a folder of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", "-c", code, *map(str, arguments)],
        cwd=home,
        env=environment(home, hub) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LOAD = """
import sys
import numpy as np
from datasets import load_dataset
from revisit_metric.templates import template

path, config, streaming, n_rows = sys.argv[1:]
rows = list(load_dataset(path, config, split="test", streaming=streaming == "streaming"))
assert len(rows) == int(n_rows), len(rows)
for row in rows:
    poses = template(row["instance_id"].rpartition("/")[2]).poses()
    assert np.asarray(row["poses"]).tobytes() == poses.tobytes()
assert "datasets" not in "".join(name for name in sys.modules if name.startswith("dataset_builder"))
print(rows[0]["instance_id"], rows[0]["image"].size, rows[0]["licence"])
"""


@pytest.fixture(scope="module")
def open_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("open")
    (folder / "images").mkdir()
    (folder / "LICENSE").write_text("CC0-1.0")
    with (folder / "scenes.jsonl").open("w") as file:
        for index in (1, 2):
            path = folder / "images" / f"{index:04d}.jpg"
            noise = np.random.default_rng(index).integers(0, 256, (60, 104, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((832, 480), Image.Resampling.NEAREST).save(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            row = {
                "scene_id": path.stem,
                "file": f"images/{path.name}",
                "sha256": digest,
                "prompt": "A place",
            }
            size = {
                "width": 832,
                "height": 480,
                "category": "indoor",
                "tags": [],
                "layout": "loft",
                "seed": index,
            }
            file.write(json.dumps(row | size) + "\n")
    return folder


@pytest.fixture(scope="module")
def built(open_set, tmp_path_factory):
    out = tmp_path_factory.mktemp("built") / "data set"
    done = run("build", "--config", "open", "--scenes", open_set, "--out", out, home=out.parent)
    assert done.returncode == 0, done.stderr
    assert "open: 2 scenes, 6 instances" in done.stdout
    return out


def test_help_names_the_commands():
    done = run("--help", home=ROOT)
    assert done.returncode == 0
    assert "build" in done.stdout
    assert "push" in done.stdout


@pytest.mark.parametrize("streaming", ["streaming", "mapped"])
def test_a_fresh_process_loads_it_offline(built, tmp_path, streaming):
    said = python(LOAD, built, "open", streaming, 6, home=tmp_path)
    assert said.strip() == "0001/out_and_back (832, 480) CC0-1.0"


def test_own_images_and_an_own_template(tmp_path):
    folder = tmp_path / "eigene Bilder"
    folder.mkdir()
    noise = np.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "küche.png")
    (folder / "küche.txt").write_text("Eine Küche", encoding="utf-16")
    (folder / "notes.md").write_text("x")
    path = tmp_path / "glance.yaml"
    path.write_text("name: glance\nscript: yaw_left 9deg, yaw_right 9deg\ndegrees_per_frame: 0.5\n")
    out = tmp_path / "out"
    done = run("build", "--scenes", folder, "--template", path, "--out", out, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "custom: 1 scenes, 4 instances" in done.stdout
    assert "left out, 1 files that no instance uses: notes.md" in done.stdout
    said = python(
        "import sys, datasets; row = datasets.load_dataset(sys.argv[1], 'custom', split='test')[3];"
        "print(row['instance_id'], row['prompt'], len(row['poses']))",
        out,
        home=tmp_path,
    )
    assert said.strip() == "küche/glance Eine Küche 37"


def test_all_faults_are_on_screen_and_the_code_is_2(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"no image")
    Image.new("RGB", (64, 64)).save(folder / "b.png")
    (folder / "b.txt").write_bytes(b"caf\xe9")
    done = run("build", "--scenes", folder, "--out", tmp_path / "out", home=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for line in ("a.png: not a readable image", "b.png: size: 64 x 64", "b.png: blank", "b.txt: byte 0xe9"):
        assert line in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "--out", "x"], "say what to build: --config open|official|custom, or --scenes DIR"),
        (["build", "--out", "x", "--config", "official"], "needs 'release'"),
        (["push", "me/x", "--from", "nowhere"], "holds no dataset: build one first"),
    ],
)
def test_what_cannot_be_carried_out_says_why(tmp_path, arguments, message):
    done = run(*arguments, home=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


# --- publishing ---


def test_push_publishes_data_card_and_registration(built, hub, tmp_path):
    done = run("push", "me/revisit", "--from", built, home=tmp_path, hub=hub, token=TOKEN)
    assert done.returncode == 0, done.stderr
    repo = hub.repos["me/revisit"]
    shard = "open/test-00000-of-00001.parquet"
    assert set(repo.files) == {"README.md", "eval.yaml", shard}
    assert repo.files[shard] == (built / shard).read_bytes()
    assert repo.files["README.md"] == (built / "README.md").read_bytes()
    assert yaml.safe_load(repo.files["eval.yaml"])["tasks"] == [{"id": "open", "config": "open", "split": "test"}]
    assert repo.commits == ["Build of open", "Benchmark registration"]
    assert f"Bearer {TOKEN}" in hub.tokens
    assert TOKEN not in done.stdout + done.stderr
    said = python(LOAD, "me/revisit", "open", "mapped", 6, home=tmp_path, hub=hub)
    assert said.strip() == "0001/out_and_back (832, 480) CC0-1.0"
    said = python(LOAD, "me/revisit", "open", "streaming", 6, home=tmp_path, hub=hub)
    assert said.strip() == "0001/out_and_back (832, 480) CC0-1.0"


def test_push_replaces_old_shards_and_keeps_other_files(built, hub, tmp_path):
    hub.repos["me/revisit"] = repo = Repo()
    repo.files = {
        "open/test-00000-of-00002.parquet": b"old",
        "notes.txt": b"kept",
        "other/test-0.parquet": b"kept",
    }
    done = run("push", "me/revisit", "--from", built, home=tmp_path, hub=hub, token=TOKEN)
    assert done.returncode == 0, done.stderr
    assert set(repo.files) == {
        *("README.md", "eval.yaml", "open/test-00000-of-00001.parquet"),
        *("notes.txt", "other/test-0.parquet"),
    }


def test_a_refused_registration_does_not_cost_the_data(built, hub, tmp_path):
    hub.refuses_eval_yaml = True
    done = run("push", "me/revisit", "--from", built, home=tmp_path, hub=hub, token=TOKEN)
    assert done.returncode == 1
    assert set(hub.repos["me/revisit"].files) == {"README.md", "open/test-00000-of-00001.parquet"}
    assert "The data are published; the Hub refused eval.yaml" in done.stderr
    assert "unknown evaluation_framework" in done.stderr


def test_push_needs_a_token_and_a_hub(built, hub, tmp_path):
    done = run("push", "me/revisit", "--from", built, home=tmp_path, hub=hub)
    assert done.returncode == 2
    assert "no token: set HF_TOKEN" in done.stderr
    assert hub.log == []
    done = run("push", "me/revisit", "--from", built, home=tmp_path, token=TOKEN)
    assert done.returncode == 2
    assert "me/revisit: " in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr


# --- the official configuration, images from the Hub ---


def write_release(root, hub):
    names = [f"{number:04d}.png" for number in [*range(1, 49), *range(56, 108)]]
    repo = hub.repos["GD-ML/R2MBench"] = Repo(pinned=COMMIT)
    for index, name in enumerate(names):
        path = root / name
        Image.new("RGB", (16, 9), (index, 0, 0)).save(path)
        repo.files[f"test_imgs/{name}"] = path.read_bytes()
    repo.files["large/not_asked_for.bin"] = b"0"
    for folder in ("meta_data", "trajectories"):
        (root / "code" / folder).mkdir(parents=True)
    for entry in TEMPLATES.values():
        poses = root / "code" / "trajectories" / f"trajectory_{entry.release_name}_30s.json"
        camera = release_intrinsics(1920, 1080).tolist()
        frames = {str(i): {"extrinsic": pose, "K": camera} for i, pose in enumerate(entry.poses().tolist())}
        poses.write_text(json.dumps(frames))
        rows = [
            {"image": f"./generated_imgs/{name}", "prompt": "Made up", "pose_json_path": f"./{poses.name}"}
            for name in names
        ]
        target = root / "code" / "meta_data" / f"data_single_{entry.release_name}_100.json"
        target.write_text(json.dumps(rows))
    return root / "code"


def test_official_is_built_from_a_pinned_download_and_published_privately_only(hub, tmp_path):
    release, out = write_release(tmp_path, hub), tmp_path / "out"
    images = f"GD-ML/R2MBench@{COMMIT}"
    build = ("build", "--config", "official", "--release", release, "--images", images, "--out", out)
    done = run(*build, home=tmp_path / "home", hub=hub)
    assert done.returncode == 0, done.stderr
    assert "official: 100 scenes, 300 instances" in done.stdout
    assert all(COMMIT in line for line in hub.log)
    assert not any("not_asked_for" in line for line in hub.log if line.startswith(("GET", "HEAD")))
    done = run(*build, home=tmp_path / "home")  # offline, from the cache
    assert done.returncode == 0, done.stderr
    said = python(
        "import sys, datasets; row = datasets.load_dataset(sys.argv[1], 'official', split='test')[144];"
        "print(row['instance_id'], row['category'], row['image_width'], row['source'].split()[-1])",
        out,
        home=tmp_path / "home",
    )
    assert said.strip() == f"0056/out_and_back None 1920 {images}"

    done = run("push", "me/copy", "--from", out, home=tmp_path, hub=hub, token=TOKEN)
    assert done.returncode == 2
    assert "me/copy is public, and rows of official have no stated licence" in done.stderr
    assert hub.repos["me/copy"].files == {}
    done = run("push", "me/private", "--private", "--from", out, home=tmp_path, hub=hub, token=TOKEN)
    assert done.returncode == 0, done.stderr
    assert hub.repos["me/private"].private


def test_official_without_cache_or_network_says_what_was_asked(hub, tmp_path):
    release, images = write_release(tmp_path, hub), f"GD-ML/R2MBench@{COMMIT}"
    build = (
        "build",
        "--config",
        "official",
        "--release",
        release,
        "--out",
        tmp_path / "out",
        "--images",
        images,
    )
    done = run(*build, home=tmp_path / "home")
    assert done.returncode == 2
    assert f"{images}: the images cannot be downloaded" in done.stderr
    assert "Traceback" not in done.stderr
