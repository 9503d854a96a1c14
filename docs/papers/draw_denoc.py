"""Draw the plots of denoc.md, those that RoboAnalyzer shows of an arm: `python docs/papers/draw_denoc.py`."""

from figures import keep, plt, run_of

ARMS = {"stanford_arm": "Stanford arm", "kuka_kr5": "KUKA KR5", "puma": "PUMA 560"}
FALLS = {"stanford_arm": {"tilt": 0.5}}  # from where all joints move


def plots(name: str, title: str) -> None:
    """Joint values, rates, accelerations and forces along the cycloid, and joint values in free fall."""
    run, fall = run_of(name, motion="inverse"), run_of(name, motion="fall", **FALLS.get(name, {}))
    figure, axes = plt.subplots(1, 5, figsize=(14, 3.0), layout="constrained")
    slides = [run.model.joint(joint).kind == "prismatic" for joint in run.model.joint_names]
    table = [
        (run.t, run.q, "joint values, rad and m"), (run.t, run.v, "rates, rad/s and m/s"),
        (run.t, run.a, "accelerations, rad/s$^2$ and m/s$^2$"), (run.t, run.tau, "torques and forces, N m and N"),
        (fall.t, fall.q, "free fall: joint values, rad and m"),
    ]  # fmt: skip
    for axis, (t, values, label) in zip(axes, table, strict=True):
        lines = [axis.plot(t, x, "--" if slide else "-", lw=1.2)[0] for x, slide in zip(values.T, slides, strict=True)]
        axis.set_title(label, fontsize=9)
        axis.set_xlabel("t in s", fontsize=8)
        axis.tick_params(labelsize=7)
    axes[0].legend(lines, [f"joint {k + 1}" for k in range(len(lines))], fontsize=6, title=title, title_fontsize=7)
    keep(figure, f"denoc-{name.replace('_', '-')}")


if __name__ == "__main__":
    for name, title in ARMS.items():
        plots(name, title)
