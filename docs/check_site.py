"""Check the built pages: every link within the site leads to a file and an anchor that are there, and no page loads anything
from another machine. `python docs/check_site.py build/docs`"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "video": "src", "source": "src", "object": "data"}
OUTSIDE = re.compile(r"(?:https?:)?//")
OF_STYLE = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+['\"](?:https?:)?//")


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to at."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note one tag."""
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        loaded = given.get(LOADS.get(tag, ""))
        if loaded and not (tag == "link" and given.get("rel") in ("canonical", "search")):
            self.loads.append(loaded)


def faults(folder: Path) -> list[str]:
    """Everything that is wrong, one sentence each."""
    files = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]  # templates of the theme
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        found += [f"{name} loads {link} from elsewhere" for link in page.loads if OUTSIDE.match(link)]
        for link in page.links + page.loads:
            if OUTSIDE.match(link) or link.startswith(("mailto:", "data:", "javascript:")):
                continue
            file, anchor = urldefrag(link)
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not target.exists():
                found.append(f"{name} leads to {link}, which is not there")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                found.append(f"{name} leads to {link}, whose anchor is not there")
    for style in sorted(folder.rglob("*.css")):
        if OF_STYLE.search(style.read_text(encoding="utf-8")):
            found.append(f"{style.relative_to(folder)} loads something from elsewhere")
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    wrong = faults(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(*wrong, f"{len(list(folder.rglob('*.html')))} pages, {size:.1f} MB, {len(wrong)} faults", sep="\n")
    sys.exit(bool(wrong))
