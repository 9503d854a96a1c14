"""What to do with something that one side of a file knows and the other does not: refuse it, or leave it out and say so."""

from locomote.formats.faults import Faults

POLICIES = ("error", "warn")


class Unsupported:
    """Notes what is left out, as faults or (policy "warn") as warnings. `does` is what happens to the rest: loads, writes."""

    def __init__(self, policy: str, faults: Faults, does: str = "loads"):
        if policy not in POLICIES:
            raise ValueError(f"unsupported={policy!r}; expected {' or '.join(map(repr, POLICIES))}")
        self.policy, self.faults, self.does = policy, faults, does

    def leave_out(self, where, what: str) -> None:
        """Note that `what`, which moves nothing, is not in the file: a warning, whatever the policy."""
        self.faults.warn(where, f"left out: {what} is not supported; it does not change the motion")

    def refuse(self, where, what: str, advice: str = "") -> None:
        """Note that `what` would change the mechanism and is not supported."""
        if self.policy == "warn":
            self.faults.warn(where, f"left out: {what} is not supported")
        else:
            way = f"; {advice}" if advice else ""
            self.faults.add(where, f"{what} is not supported{way}; unsupported='warn' {self.does} the rest")
