"""Check that a release could go out: `python packaging/release.py [--install [PYTHON ...]]`.

One version everywhere, a changelog that knows it, an sdist and a wheel with everything that belongs in them, a README that a
package index can show, and with --install both in an empty environment of each Python named (python3.12, or a path; this one if
none is named): they import, list, and run a system.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IN_WHEEL = ("py.typed", "__init__.pyi", "view/pages/report.html", "view/pages/scene.js", "systems/snakeboard.py")
IN_SOURCE = ("README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "pyproject.toml", "tests/conftest.py", "docs/conf.py")
LARGEST = 20e6  # bytes of a wheel without kernels


def faults_of_texts(project: dict) -> list[str]:
    """Versions and texts that do not fit each other."""
    version = project["version"]
    found = []
    if f"version: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        found.append(f"CITATION.cff has another version than {version}")
    if f"## [{version}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        found.append(f"CHANGELOG.md has no part on {version}")
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    found += [f"the conda recipe lacks {need}" for need in project["dependencies"] if need not in recipe]
    return found


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel, made from this checkout, by tools in folder/tool."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "tool"), "build", "twine"]
    subprocess.run(command, check=True)
    by_tool(folder, "build", "--outdir", str(folder), str(ROOT)).check_returncode()
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def by_tool(folder: Path, tool: str, *words: str) -> subprocess.CompletedProcess:
    """What a tool in folder/tool did; the tools stand in front of what is installed, for that process only."""
    setting = os.environ | {"PYTHONPATH": str(folder / "tool"), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", tool, *words], env=setting, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def faults_of_rendering(folder: Path, *files: Path) -> list[str]:
    """What a package index would say of metadata and of the README, which it shows as the page of the project."""
    done = by_tool(folder, "twine", "check", "--strict", *map(str, files))
    return [f"twine check: {line.strip()}" for line in done.stdout.splitlines() if line.strip()] if done.returncode else []


def faults_of_files(source: Path, wheel: Path, project: dict) -> list[str]:
    """What is missing in them, or should not be there."""
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    found = [f"the sdist lacks {name}" for name in IN_SOURCE if name not in inside]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(path).decode())
    found += [f"the wheel lacks {name}" for name in IN_WHEEL if f"locomote/{name}" not in names]
    found += [f"the wheel has {name}" for name in names if not name.startswith(("locomote/", "locomote-"))]
    for key, expected in {"Version": project["version"], "Requires-Python": project["requires-python"]}.items():
        if metadata[key] != expected:
            found.append(f"{key} of the wheel is {metadata[key]}, not {expected}")
    if metadata["Description-Content-Type"] != "text/markdown" or "# locomote" not in metadata.get_payload():
        found.append("the README is not the description of the wheel")
    if wheel.stat().st_size > LARGEST:
        found.append(f"the wheel has {wheel.stat().st_size / 1e6:.0f} MB")
    return found


def faults_of_installed(file: Path, folder: Path, program: str) -> list[str]:
    """What does not work in an empty environment of a Python, with an empty cache of kernels."""
    subprocess.run([program, "-m", "venv", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(file)], check=True)
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    setting = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    setting["LOCOMOTE_CACHE_DIR"] = str(folder / "kernels")
    found = []
    runs = (["--version"], ["list"], *[["run", "simple_pendulum", "--out", str(folder / "run.h5")]] * 2)
    for words in runs:
        start, worked = time.perf_counter(), os.times()
        done = subprocess.run([python, "-m", "locomote", *words], capture_output=True, text=True, cwd=folder, env=setting)
        busy = sum(os.times()[2:4]) - sum(worked[2:4])  # of processors: what counts on a machine that does other things too
        took = f"{time.perf_counter() - start:.1f} s, {busy:.1f} s of processors"
        print(f"{version}, {file.name}: locomote {' '.join(words[:2])}: {took}", flush=True)
        if done.returncode:
            found.append(f"{version}: locomote {' '.join(words)} fails: {done.stderr.strip().splitlines()[-1:]}")
    return found


def main() -> int:
    """All checks; the number of faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    words = "install sdist and wheel in empty environments of these Pythons, too (without names: of this one)"
    parser.add_argument("--install", nargs="*", metavar="PYTHON", help=words)
    given = parser.parse_args()
    pythons = [sys.executable] if given.install == [] else given.install or []
    if missing := [name for name in pythons if shutil.which(name) is None]:
        parser.error(f"no program {', '.join(missing)} here; name Pythons by their program, python3.12, or by a path")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = faults_of_texts(project)
    with tempfile.TemporaryDirectory() as name:
        source, wheel = built(Path(name))
        print(f"{source.name}: {source.stat().st_size / 1e6:.1f} MB, {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        found += faults_of_files(source, wheel, project)
        found += faults_of_rendering(Path(name), source, wheel)
        for i, python in enumerate(pythons):
            for file in (wheel, source):
                found += faults_of_installed(file, Path(name) / f"empty-{i}-{file.suffix[1:]}", python)
    print(*found, f"{len(found)} faults", sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(bool(main()))
