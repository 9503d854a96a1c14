"""Check that a release could go out: `python packaging/release.py [--install]`.

One version everywhere, a changelog that knows it, an sdist and a wheel with everything that belongs in them, and with --install
the wheel in an empty environment of this Python: it imports, lists, and runs a system.
"""

import argparse
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
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
    """The sdist and the wheel, made from this checkout."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "tool"), "build"], check=True)
    program = f"import sys; sys.path.insert(0, {str(folder / 'tool')!r}); from build.__main__ import main; main(sys.argv[1:])"
    subprocess.run([sys.executable, "-c", program, "--outdir", str(folder), str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


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


def faults_of_installed(wheel: Path, folder: Path) -> list[str]:
    """What does not work in an empty environment."""
    venv.create(folder / "empty", with_pip=True)
    python = str(folder / "empty" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    found = []
    for words in (["list"], ["run", "simple_pendulum", "--out", str(folder / "run.h5")]):
        start = time.perf_counter()
        done = subprocess.run([python, "-m", "locomote", *words], capture_output=True, text=True, cwd=folder)
        print(f"locomote {words[0]}: {time.perf_counter() - start:.1f} s")
        if done.returncode:
            found.append(f"locomote {' '.join(words)} fails: {done.stderr.strip().splitlines()[-1:]}")
    return found


def main() -> int:
    """All checks; the number of faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="install the wheel in an empty environment, too")
    given = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = faults_of_texts(project)
    with tempfile.TemporaryDirectory() as name:
        source, wheel = built(Path(name))
        print(f"{source.name}: {source.stat().st_size / 1e6:.1f} MB, {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        found += faults_of_files(source, wheel, project)
        found += faults_of_installed(wheel, Path(name)) if given.install else []
    print(*found, f"{len(found)} faults", sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(bool(main()))
