"""The page about a folder of runs: a row a run, with a picture, what it did, whether its audit is good, and its report."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from locomote.errors import FileError, LocomoteError
from locomote.reopen import open_run
from locomote.runs.files.files import whole_file
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.film import film
from locomote.view.page_words import as_html, element
from locomote.view.report import report, title

NAME = "index.html"
SIZE = (240, 180)  # pixels of each picture of a strip
STYLE = """body { font: 15px/1.45 system-ui, sans-serif; color: #333; max-width: 1180px; margin: 1.2em auto; padding: 0 1em; }
table { border-collapse: collapse; } th { text-align: left; } td, th { padding: .4em 1em .4em 0; vertical-align: top; }
tr { border-top: 1px solid #ddd; } img { height: 90px; } .bad { color: #b00; }"""
POLICY = "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'"


def index(folder: Path, done: Callable[[Path], None] | None = None) -> Path:
    """Write the page about all run files (.h5) in a folder and the folders in it, with pictures and reports beside them.

    done : is told each run file once its row is there. Pictures and reports that are newer than their run stay as they are; a
    file that cannot be read has a row that says why.
    """
    files = sorted(folder.rglob("*.h5"))
    if not files:
        raise FileError(folder, "holds no run file (.h5); locomote run --out writes them")
    rows = []
    for file in files:
        rows.append(row(folder, file))
        if done is not None:
            done(file)
    heads = "".join(element("th", word) for word in ("run", "", "of", "time", "net distance", "audit"))
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    name = as_html(folder.resolve().name)
    page = f"<!doctype html><html><head>{head}<title>{name}</title><style>{STYLE}</style></head><body><h1>{name}</h1>"
    page += f"<p>{len(files)} runs</p><table><tr>{heads}</tr>{''.join(rows)}</table></body></html>"
    with whole_file(folder / NAME) as stream:
        stream.write(page.encode())
    return folder / NAME


def row(folder: Path, file: Path) -> str:
    """A run as a row of the table."""
    name = file.relative_to(folder).with_suffix("")
    try:
        run = open_run(file)
        if not len(run):
            raise FileError(file, "holds no sample")
        page = fresh(file, ".html", lambda path: report(run, path))
        picture = fresh(file, ".png", lambda path: film(run, path, size=SIZE))
    except (LocomoteError, ValueError, OSError, ArithmeticError) as error:
        return f'<tr>{element("td", name)}<td colspan="5" class="bad">{as_html(error)}</td></tr>'
    link, shown = (quote(path.relative_to(folder).as_posix()) for path in (page, picture))
    cells = [
        f'<td><a href="{link}">{as_html(name)}</a></td>', f'<td><a href="{link}"><img src="{shown}" alt=""></a></td>',
        element("td", title(run)), element("td", f"{number(run.t[-1] - run.t[0])} s"), element("td", distance(run)),
    ]  # fmt: skip
    return f"<tr>{''.join(cells)}{verdict(run)}</tr>"


def fresh(file: Path, suffix: str, write: Callable[[Path], object]) -> Path:
    """A file beside a run, written if it is not there or older."""
    path = file.with_suffix(suffix)
    if not path.exists() or path.stat().st_mtime < file.stat().st_mtime:
        write(path)
    return path


def distance(run: Trajectory) -> str:
    return "" if run.net_motion is None else f"{number(run.net_motion.distance)} m"


def verdict(run: Trajectory) -> str:
    """How it ended, if that was not its end, and whether its audit is good."""
    status = run.info.get("status", "")
    if status not in ("finished", "stopped"):
        return f'<td class="bad">{as_html(status)}</td>'
    if run.audit.ok:
        return element("td", "good")
    return f'<td class="bad">{as_html(", ".join(check.name for check in run.audit.failed))}</td>'
