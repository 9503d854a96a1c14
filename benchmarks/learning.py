"""Steps a second of a trotting quadruped as an environment, with observations and rewards, against `mujoco.rollout` of the same
robot; and what the environment costs over its copies alone. One thread; blocks by turns, least processor time of each.

`python benchmarks/learning.py` takes a minute and needs mujoco.
"""

import time

import mujoco
import mujoco.rollout
import numpy as np

import locomote as lo
from locomote.learning.tasks import quadruped

TICKS, BLOCKS = 25, 12  # of a block, and blocks of each
COPIES = (16, 256, 1024)


def trot(task: lo.learning.Task, copies: int, random: np.random.Generator):
    """Actions of a trot in place, each copy a little off: a function of the tick."""
    phase, size = random.uniform(0, 2 * np.pi, (copies, 1)), random.uniform(0.8, 1.2, (copies, 1))
    sides = np.array([1.0 if name.startswith(("front_left", "rear_right")) else -1.0 for name in task.joints])
    lift = np.array([{"hip_x": 0.0, "hip_y": 0.35, "knee": -0.7}[name.split("_", 2)[2]] for name in task.joints])

    def actions(n: int) -> np.ndarray:
        return size * lift * np.maximum(0.0, np.sin(2 * np.pi * n * task.tick / 0.5 + phase) * sides)

    return actions


def mjcf(task: lo.learning.Task) -> str:
    """The robot of the task for MuJoCo: same masses, springs, feet, friction, step."""
    box = 'type="box" contype="0" conaffinity="0"'
    legs = []
    for leg, (front, left) in quadruped.LEGS.items():
        link = f'<geom {box} size="0.015 0.015 0.1" pos="0 0 -0.1" mass="0.4"/>'
        legs.append(f"""
    <body pos="{0.2 * front} {0.12 * left} 0"><joint name="{leg}_hip_x" axis="1 0 0"/>
      <geom {box} size="0.03 0.03 0.03" mass="0.2"/>
      <body><joint name="{leg}_hip_y" axis="0 1 0"/>{link}
        <body pos="0 0 -0.2"><joint name="{leg}_knee" axis="0 1 0"/>{link}
          <geom type="sphere" size="0.02" pos="0 0 -0.2" mass="0" friction="0.8" condim="3"/>
          <site name="{leg}" pos="0 0 -0.2" size="0.03"/>
        </body></body></body>""")
    motors = "".join(f'<position joint="{name}" kp="60" kv="2"/>' for name in task.joints)
    touch = "".join(f'<touch site="{leg}"/>' for leg in quadruped.LEGS)
    return f"""<mujoco><option timestep="{task.step}" integrator="implicitfast"/>
  <worldbody><geom type="plane" size="0 0 1" friction="0.8"/>
  <body pos="0 0 0.5"><freejoint/><geom {box} size="0.2 0.1 0.05" mass="8"/>{"".join(legs)}</body></worldbody>
  <actuator>{motors}</actuator><sensor>{touch}</sensor></mujoco>"""


class Mirror:
    """States of MuJoCo as the functions of a task ask for copies."""

    def __init__(self, count: int, nq: int, nv: int):
        self.count, self.q, self.v, self.t = count, np.zeros((count, nq)), np.zeros((count, nv)), np.zeros(count)
        self.contact_forces = np.zeros((count, 4, 3))

    def take(self, states: np.ndarray, sensors: np.ndarray) -> None:
        nq = self.q.shape[1]
        self.t, q, v = states[:, 0], states[:, 1 : 1 + nq], states[:, 1 + nq :]
        self.q = np.concatenate([q[:, :3], q[:, 4:7], q[:, 3:4], q[:, 7:]], axis=1)  # their scalar part is first
        x, y, z, w = self.q[:, 3:7].T
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
        self.v = np.concatenate([np.einsum("ijn,ni->nj", turn, v[:, :3]), v[:, 3:]], axis=1)  # theirs is in the world
        self.contact_forces[:, :, 2] = sensors


class Theirs:
    """The environment on `mujoco.rollout`."""

    def __init__(self, task: lo.learning.Task, count: int):
        self.task, self.model = task, mujoco.MjModel.from_xml_string(mjcf(task))
        self.data, self.random = mujoco.MjData(self.model), np.random.default_rng(0)
        self.mirror = Mirror(count, self.model.nq, self.model.nv)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.states, self.rest = np.zeros((count, size)), task.rest()
        self.rollout = mujoco.rollout.Rollout(nthread=0)
        self.begin(np.arange(count))

    def begin(self, which: np.ndarray) -> None:
        q, v = self.task.starts(self.random, len(which))
        rows = np.concatenate([np.zeros((len(which), 1)), q[:, :3], q[:, 6:7], q[:, 3:6], q[:, 7:], v], axis=1)
        self.states[which, : rows.shape[1]] = rows

    def step(self, actions: np.ndarray):
        task, mirror = self.task, self.mirror
        control = np.repeat((self.rest + task.scale * np.clip(actions, -1, 1))[:, None], task.substeps, axis=1)
        states, sensors = self.rollout.rollout(self.model, self.data, self.states, control)
        self.states = np.ascontiguousarray(states[:, -1])
        mirror.take(self.states[:, : 1 + self.model.nq + self.model.nv], sensors[:, -1])
        rewards, ended = task.reward(mirror, actions), task.ended(mirror)
        cut = mirror.t >= task.duration - 0.5 * task.tick
        if (ended | cut).any():
            self.begin(np.flatnonzero(ended | cut))
        return task.observe(mirror).astype(np.float32), rewards, ended, cut, {}


class Bare:
    """Copies alone, without observations, rewards and ends; they start where those of the environment do."""

    def __init__(self, task: lo.learning.Task, like: lo.learning.VectorEnv):
        self.task, self.copies = task, task.copies(like.num_envs)
        self.copies.put(np.arange(like.num_envs), like.copies.q, like.copies.v)

    def step(self, actions: np.ndarray):
        self.copies.advance(self.task.controls(actions))


def compared(count: int) -> dict[str, float]:
    """Steps a second of ours, of copies alone, and of theirs."""
    task = lo.learning.task_of("quadruped", duration=1e6)
    actions = trot(task, count, np.random.default_rng(1))
    env = lo.learning.VectorEnv(task, count, autoreset="same_step")
    env.reset(seed=0)
    sides = {"environment": env, "copies alone": Bare(task, env), "mujoco.rollout": Theirs(task, count)}
    least = dict.fromkeys(sides, np.inf)
    for block in range(BLOCKS):
        order = list(sides.items())
        for name, side in (*order[block % 3 :], *order[: block % 3]):  # who is first finds cold caches
            began = time.process_time()
            for n in range(TICKS):
                side.step(actions(block * TICKS + n))
            least[name] = min(least[name], time.process_time() - began)
    assert not env.copies.missed[:, 0].any(), "a step missed the law of contact"
    upright = {"ours": env.copies.q[:, 2].mean(), "theirs": sides["mujoco.rollout"].mirror.q[:, 2].mean()}
    print(f"mean height {upright['ours']:.3f} m, MuJoCo's {upright['theirs']:.3f} m")
    return {name: count * TICKS * task.substeps / seconds for name, seconds in least.items()}


def main():
    print("copies  environment  copies alone  mujoco.rollout  (steps a second)   times   overhead")
    for count in COPIES:
        found = compared(count)
        ours, bare, theirs = found.values()
        more = f"{ours / theirs:25.2f}  {100 * (bare / ours - 1):8.1f} %"
        print(f"{count:6d}  {ours:11.0f}  {bare:12.0f}  {theirs:14.0f}  {more}")


if __name__ == "__main__":
    main()
