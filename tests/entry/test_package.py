"""What an installation is: one package, imports that cost nothing, a README that is true."""

import subprocess
import sys
import zipfile

import pytest


def run(code, cwd):
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)


def test_importing_the_package_pulls_in_nothing_heavy(project_root):
    heavy = ("torch", "evaluate", "datasets", "transformers", "cv2", "av", "lpips", "moderngl")
    done = run(f"import sys, revisit_metric; print([name for name in {heavy} if name in sys.modules])", project_root)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_numbers_need_no_torch(project_root):
    code = (
        "import sys; from revisit_metric import pairs, relative, overall, diagnosis, templates, manifest; "
        "print([name for name in ('torch', 'evaluate', 'datasets', 'cv2', 'av') if name in sys.modules])"
    )
    assert run(code, project_root).stdout.strip() == "[]"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, project_root):
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--quiet",
        "--wheel-dir",
        str(folder),
        str(project_root),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "Could not find a version" in done.stderr:
        pytest.skip("the build backend cannot be had without a package index")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_revisit_metric_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"revisit_metric"}
    assert "revisit_metric/judge/rubric.md" in names
    assert "revisit_metric/report/style.css" in names
    assert not [name for name in names if "test" in name.lower() and name.endswith(".py")]


def test_every_module_of_the_wheel_can_be_imported(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "import importlib, pkgutil, sys; sys.path.insert(0, '.'); import revisit_metric; "
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(revisit_metric.__path__, 'revisit_metric.')]; "
        "print(revisit_metric.__file__)"
    )
    done = run(code, tmp_path)
    assert str(tmp_path) in done.stdout, done.stderr


def test_the_shim_is_an_import_and_nothing_else(project_root):
    lines = (project_root / "revisit_metric" / "revisit_metric.py").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith('"""')] == [
        "from revisit_metric.metric import RevisitMetric",
        '__all__ = ["RevisitMetric"]',
    ]
    assert not (project_root / "dataset_builder" / "dataset_builder.py").exists()
