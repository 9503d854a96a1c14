"""What a scene file says, as plain data, whatever its format."""

from locomote.errors import ModelError
from locomote.formats import registry
from locomote.formats.inertias import check_policy
from locomote.formats.load import options_taken
from locomote.formats.source import read_source
from locomote.formats.xml import parse
from locomote.model.scene import Scene


def read_scene(path_or_text, *, inertia: str = "warn", unsupported: str = "error", **options) -> Scene:
    """The mechanism of a file (MJCF, OpenSim) with its loops, motors, muscles, keyframes and start, as plain data.

    path_or_text : path of a file, or text (a string that starts with "<", or bytes)
    inertia, unsupported : as of lo.read_mjcf ; options : others that the reader of the format has, as package_dirs=
    """
    scene = scene_of(path_or_text, inertia=inertia, unsupported=unsupported, **options)
    if scene is None:
        known = " or ".join(form.name for form in registry.formats() if form.scene is not None)
        raise ModelError(str(path_or_text)[:200], f"this format says no more than a model; read_scene takes {known}")
    return scene


def scene_of(path_or_text, **options) -> Scene | None:
    """The Scene of a file; None if its format has none."""
    check_policy(options.get("inertia", "warn"))
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    form, root = registry.of_suffix("" if source.path is None else source.path.suffix.lower()), None
    if form is None or form.root_tag:
        root = parse(source)
        form = registry.of_root(root.tag)
        if form is None:
            raise ModelError(source.name, registry.wrong_root(root))
    if form.scene is None:
        return None
    describe = form.scene()
    return describe(source, root, **options_taken(form, describe, {}, options))
