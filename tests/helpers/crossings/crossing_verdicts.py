"""What becomes of a cell: it works, is refused in a sentence, has no meaning, or is broken."""

import re
import traceback
from typing import NamedTuple

import numpy as np
from crossing_cases import Case
from crossing_verbs import VERBS, NotApplicable, Wrong

import locomote as lo

# a refusal says which problem it is about: all problems of the table are called 'robot'
WORKS, REFUSED, NONE, BROKEN = "works", "refused", "not applicable", "broken"
REFUSALS = (lo.LocomoteError, ValueError, NotImplementedError, TypeError)
FEW_WORDS = 6


class Verdict(NamedTuple):
    """A cell: one of the words above, and the sentence that goes with it."""

    kind: str
    sentence: str = ""


def verdict(case: Case, title: str) -> Verdict:
    """Do it, and see."""
    try:
        with np.errstate(all="ignore"):
            VERBS[title].do(case)
    except NotApplicable:
        return Verdict(NONE)
    except Wrong as fault:
        return Verdict(BROKEN, str(fault))
    except lo.RunFailed as error:
        return Verdict(BROKEN, f"the run fails: {error}")
    except REFUSALS as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = str(error.args[0]) if error.args else ""
        if "/locomote/" in where.filename and "'robot'" in said and len(said.split()) >= FEW_WORDS:
            return Verdict(REFUSED, general(said, title.removeprefix("method ")))
        return Verdict(
            BROKEN, f"raw {type(error).__name__} from {where.filename.rsplit('/', 2)[-2]}/{where.name}: {str(error)[:120]}"
        )
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Verdict(BROKEN, f"raw {type(error).__name__} from {where.name}: {str(error)[:120]}")
    return Verdict(WORKS)


def raw(error: Exception) -> Verdict:
    """Of an error that is no sentence of ours."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return Verdict(BROKEN, f"raw {type(error).__name__} from {where.name}: {str(error)[:120]}")


def general(sentence: str, method: str) -> str:
    """A sentence without the numbers of one problem, and the method that was asked for."""
    sentence = sentence.splitlines()[0].replace(f"'{method}'", "'M'")
    return re.sub(r"(?<![\w'])[-+]?\d+(\.\d+)?(e[-+]?\d+)?(?![\w'])", "N", sentence)
