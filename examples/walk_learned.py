"""A quadruped that learns to walk at 0.5 m/s over hard ground, by proximal policy optimisation in NumPy.

It lifts its feet in turn by itself and goes backwards; what is learned are targets of its twelve joints, fifty times a second.
What was learned is then tried from new starts, and in a run with shorter steps, an audit, a film strip and a report.
"""

import balance_learned as ppo
import numpy as np
from common import arguments, save

import locomote as lo

SPEED, PERIOD, SECONDS = 0.5, 0.4, 10.0  # m/s, s, s
RADIUS = 0.02  # m, of a foot


def walked(agent, copies, seed=7):
    """Copies by the mean action from new starts: part that stays up, mean speed after the first two seconds, m/s, most that one
    is off the line, m, steps that missed the law of contact; and the environment."""
    env = lo.learning.VectorEnv("quadruped", copies, autoreset="disabled", duration=3 * SECONDS, speed=SPEED, period=PERIOD)
    seen, _ = env.reset(seed=seed)
    good, begun = np.ones(copies, bool), None
    for k in range(round(SECONDS / env.task.tick)):
        seen, _, ended, _, _ = env.step(agent.mean_action(seen))
        good &= ~ended
        if k == round(2.0 / env.task.tick) - 1:
            begun = env.copies.q[:, 0].copy()
    speed = (env.copies.q[:, 0] - begun) / (SECONDS - 2.0)
    found = {"upright": float(good.mean()), "speed": float(speed[good].mean() if good.any() else 0.0)}
    return found | {"off": float(np.abs(env.copies.q[:, 1]).max()), "missed": int(env.copies.missed[:, 0].sum())}, env.task


class Now:
    """One state, as the functions of a task ask for copies; a foot touches where it is on the ground."""

    def __init__(self, task, t, q, v):
        model, self.q, self.v, self.t = task.problem.model, q[None], v[None], np.array([t])
        poses = lo.forward_kinematics(model, q)
        feet = [poses[model.body_index(touch.name)][2, 3] for touch in task.problem.contacts]
        self.contact_forces = (np.array(feet) < RADIUS + 1e-4)[None, :, None] * np.ones(3)


def shown(agent, task, seconds, out):
    """The policy in a run of its own with steps of 1 ms, audited; a film strip and a report of it."""
    slots = [task.problem.model.joint(name).v.start for name in task.joints]

    def policy(t, q, v):
        now, tau = Now(task, t, q, v), np.zeros(task.problem.model.nv)
        tau[slots] = task.told(now, agent.mean_action(task.observe(now)))[0]
        return tau

    problem = task.acted().replaced(torques=lo.Sampled(policy, task.tick))
    run = problem.simulate(seconds, step=1e-3, every=task.tick, progress=False)
    run.film(out / "walk_learned.png")
    run.report(out / "walk_learned.html")
    return run


def main(given=None):
    """Learn, and try what was learned."""
    asked = arguments(__doc__, given)
    agent, rewards, times = ppo.train(
        "quadruped", rounds=2 if asked.short else 120, copies=32 if asked.short else 192, length=32, seed=1, spread=-1.2,
        change=0.015, quiet=asked.quiet, speed=SPEED, period=PERIOD,
    )  # fmt: skip
    count = 2 if asked.short else 20
    before, _ = walked(ppo.Agent(agent.mean.size, len(agent.spread), 0), count)
    found, task = walked(agent, count)
    print(f"before: {100 * before['upright']:.0f} % stay up, at {before['speed']:.2f} m/s")
    print(f"after {times[-1]:.0f} s of learning: {100 * found['upright']:.0f} % stay up, at {found['speed']:.2f} m/s")
    run = shown(agent, task, 0.2 if asked.short else SECONDS, asked.out)
    print(f"a run with steps of 1 ms: {run.net_motion.displacement[0]:.2f} m in {run.t[-1]:.0f} s; {run.audit}")
    result = {"before": before, "after": found, "seconds": float(times[-1]), "rewards": rewards, "audit": bool(run.audit.ok)}
    result["way"] = float(run.net_motion.displacement[0])
    save(asked.out, "walk_learned", result)
    return result


if __name__ == "__main__":
    main()
