"""Where the mesh files of a model are. They are looked for, and opened only where a body weighs what its mesh weighs.

A `package://name/rest` is looked for, in this order, in
    the folders given as package_dirs (which hold the package, are it, or are in it);
    the folder of the model file;
    the nearest folder above it with a package.xml;
    every folder above it that is called like the package, or holds it;
    the folders of ROS_PACKAGE_PATH, and of AMENT_PREFIX_PATH (under share).
A relative path is looked for in the folder of the model file, then in package_dirs.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from locomote.formats.faults import Faults, shown

MOST_MISSING = 500  # after this number of missing files the rest is not looked for
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")


class MeshFinder:
    """Finds the mesh files of one model and remembers what is missing."""

    def __init__(self, folder: Path | None, package_dirs=()):
        if isinstance(package_dirs, str | os.PathLike):
            package_dirs = (package_dirs,)
        self.folder = None if folder is None else Path(os.path.abspath(folder))
        if not isinstance(package_dirs, Iterable) or not all(isinstance(x, str | os.PathLike) for x in package_dirs):
            raise TypeError(f"package_dirs must be a folder or a list of folders, not {package_dirs!r:.60}")
        self.package_dirs = [Path(os.path.abspath(os.path.expanduser(given))) for given in package_dirs]
        self.known: dict[str, str | None] = {}
        self.missing: list[tuple[str, list[Path]]] = []

    def find(self, name: str) -> str:
        """The path of mesh `name`, or `name` itself if there is no such file."""
        if name not in self.known:
            self.known[name] = self._look(name)
        return self.known[name] or name

    def may_open(self, path: str) -> bool:
        """Whether a mesh file is there, in the folder of the model, one beside it, or in package_dirs: others stay closed."""
        if path not in self.known.values():
            return False
        folders = [*self.package_dirs, *([] if self.folder is None else [self.folder.parent])]
        try:
            real = Path(path).resolve()
            return any(real.is_relative_to(folder.resolve()) for folder in folders)
        except (OSError, RuntimeError):  # endless links
            return False

    def _look(self, name: str) -> str | None:
        if len(self.missing) > MOST_MISSING:
            return None
        tried = list(dict.fromkeys(self._candidates(name.strip())))
        found = next((path for path in tried if os.path.isfile(path)), None)
        if found is None:
            self.missing.append((name, tried))
        return None if found is None else str(found)

    def _candidates(self, name: str):
        scheme = _SCHEME.match(name)
        if scheme is None:
            yield from self._relative(name)
        elif scheme[1].lower() == "file":
            yield Path(unquote(name[scheme.end() :]))
        elif scheme[1].lower() in ("package", "model"):
            package, _, rest = name[scheme.end() :].partition("/")
            yield from self._in_package(package, rest)
        # anything else, such as http, is left alone: nothing is fetched

    def _relative(self, name: str):
        if os.path.isabs(name):
            yield Path(name)
            return
        for folder in ([] if self.folder is None else [self.folder]) + self.package_dirs:
            yield folder / name

    def _in_package(self, package: str, rest: str):
        """Places of a file of a package, none of them outside of the folder that is looked in."""
        for folder, *parts in self._packages(package, rest):
            path = Path(os.path.normpath(folder.joinpath(*parts)))
            if path.is_relative_to(folder):
                yield path

    def _packages(self, package: str, rest: str):
        for folder in self.package_dirs:
            yield folder, package, rest
            yield from ((above, rest) for above in (folder, *folder.parents) if above.name == package)
        if self.folder is not None:
            above = [self.folder, *self.folder.parents]
            yield self.folder, rest
            yield from ((folder, rest) for folder in [f for f in above if os.path.isfile(f / "package.xml")][:1])
            yield from ((folder, rest) for folder in above if folder.name == package)
            yield from ((folder, package, rest) for folder in above)
        for folder in _folders("ROS_PACKAGE_PATH"):
            yield folder, package, rest
            if folder.name == package:
                yield folder, rest
        for folder in _folders("AMENT_PREFIX_PATH"):
            yield folder / "share", package, rest

    def report(self, faults: Faults) -> None:
        """One warning for all meshes that were not found."""
        if not self.missing:
            return
        name, tried = self.missing[0]
        places = ", ".join(str(path)[:200] for path in tried[:12]) if tried else "nowhere, since there is no folder to look in"
        more = f", {len(self.missing) - 1} others, too" if len(self.missing) > 1 else ""
        faults.warn(
            None,
            f"{len(self.missing)} of {len(self.known)} mesh files were not found (they matter to see the model, and to touch "
            f"with): {shown(name)}; tried {places}{more}; give the folders that hold them with package_dirs=[...]",
        )


def _folders(variable: str) -> list[Path]:
    return [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]
