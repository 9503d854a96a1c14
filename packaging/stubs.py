"""Write the stubs of the public names (`src/locomote/public.py`), for editors and type checkers, next to the files they
describe."""

from pathlib import Path

from locomote import public

PACKAGE = Path(public.__file__).resolve().parent
HEAD = "# written by packaging/stubs.py from public.py\n"


def stubs() -> dict[Path, str]:
    """Text of each stub by its path."""
    folders = "".join(f"from locomote import {folder} as {folder}\n" for folder in sorted(public.FOLDERS))
    texts = {PACKAGE / "__init__.pyi": HEAD + folders + lines(public.homes()) + "\n__version__: str\n"}
    for group in public.GROUPS:
        path = PACKAGE / group / "__init__.py"
        own = path.read_text().split("\n") if path.exists() else []
        eager = [line for line in own if line.startswith(f"from locomote.{group}.")]
        path = path.with_suffix(".pyi") if path.exists() else PACKAGE / f"{group}.pyi"
        texts[path] = HEAD + "".join(again(line) for line in eager) + lines(public.homes(group))
    return texts


def again(line: str) -> str:
    """An import of names that are handed on."""
    module, names = line.removeprefix("from ").split(" import ")
    return "".join(f"from {module} import {name} as {name}\n" for name in names.split(", "))


def lines(homes: dict[str, str]) -> str:
    ordered = sorted(homes.items(), key=lambda item: (item[1], not item[0].isupper(), item[0].islower(), item[0].lower()))
    return "".join(f"from {module} import {name} as {name}\n" for name, module in ordered)


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
