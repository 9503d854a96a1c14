"""A policy that keeps a pole upright, learned by proximal policy optimisation (J. Schulman et al., arXiv 1707.06347), in NumPy.

`train("quadruped", ...)` learns to walk with the same code, which takes longer.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices this small are slower on several threads

import time
from pathlib import Path

import matplotlib
import numpy as np
from common import arguments, save

import locomote as lo


class Network:
    """Layers with tanh between them, and Adam's steps."""

    def __init__(self, sizes, random, last=0.01):
        scales = [*(np.sqrt(1 / n) for n in sizes[:-2]), last]
        self.weights = [s * random.standard_normal((m, n)) for s, m, n in zip(scales, sizes, sizes[1:], strict=False)]
        self.biases = [np.zeros(n) for n in sizes[1:]]
        self.moments = [[np.zeros_like(x), np.zeros_like(x)] for x in (*self.weights, *self.biases)]
        self.steps = 0

    def __call__(self, x):
        self.layers = [x]
        for k, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ w + b
            x = np.tanh(x) if k + 1 < len(self.weights) else x
            self.layers.append(x)
        return x

    def learn(self, slope, rate):
        """One step against the slope (n, outputs) of a loss by the outputs of the last call."""
        slopes_w, slopes_b = [], []
        for k in reversed(range(len(self.weights))):
            if k + 1 < len(self.weights):
                slope = slope * (1 - self.layers[k + 1] ** 2)
            slopes_w.insert(0, self.layers[k].T @ slope)
            slopes_b.insert(0, slope.sum(axis=0))
            slope = slope @ self.weights[k].T
        self.steps += 1
        size = np.sqrt(sum((g**2).sum() for g in (*slopes_w, *slopes_b)))
        for x, g, (m, s) in zip((*self.weights, *self.biases), (*slopes_w, *slopes_b), self.moments, strict=True):
            g = g * min(1.0, 1.0 / (size + 1e-12))
            m += 0.1 * (g - m)
            s += 0.001 * (g**2 - s)
            x -= rate * (m / (1 - 0.9**self.steps)) / (np.sqrt(s / (1 - 0.999**self.steps)) + 1e-8)


class Agent:
    """A normal distribution of actions about a network, and a network that says what a state is worth."""

    def __init__(self, seen, actions, seed, width=64, spread=-0.7):
        random = np.random.default_rng(seed)
        self.policy = Network([seen, width, width, actions], random)
        self.worth = Network([seen, width, width, 1], random, last=1.0)
        self.spread, self.random = np.full(actions, spread), random  # logarithm of the standard deviation
        self.mean, self.second, self.count = np.zeros(seen), np.ones(seen), 1e-4

    def scaled(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.second + 1e-8), -5, 5)

    def look(self, x):
        """Learn the mean and the variance of what is seen."""
        share = len(x) / (self.count + len(x))
        change = x.mean(axis=0) - self.mean
        self.second += share * (x.var(axis=0) - self.second) + share * (1 - share) * change**2
        self.mean += share * change
        self.count += len(x)

    def act(self, x):
        means = self.policy(x)
        return means + np.exp(self.spread) * self.random.standard_normal(means.shape)

    def mean_action(self, seen):
        """The most likely action for what is seen, (n, actions)."""
        return np.clip(self.policy(self.scaled(seen)), -1, 1)

    def likelihood(self, actions, means):
        """(n,) logarithm of the density of actions."""
        return (-0.5 * ((actions - means) / np.exp(self.spread)) ** 2 - self.spread).sum(axis=1)


def collect(env, agent, seen, length, discount=0.99, smoothing=0.95):
    """Ticks of all copies: what was seen, done, how likely, by how much better than expected, and what came of it."""
    rows, total = [], 0.0
    for _ in range(length):
        agent.look(seen)
        x = agent.scaled(seen)
        actions = agent.act(x)
        chance, value = agent.likelihood(actions, agent.policy.layers[-1]), agent.worth(x)[:, 0]
        seen, rewards, ended, cut, info = env.step(np.clip(actions, -1, 1).astype(np.float32))
        total += rewards.mean() / length
        after = np.where(cut[:, None], info["final_obs"], seen) if cut.any() else seen
        rewards = rewards + discount * cut * agent.worth(agent.scaled(after))[:, 0]  # cut off is not the end
        rows.append((x, actions, chance, value, rewards, ended | cut))
    x, actions, chance, value, rewards, done = map(np.array, zip(*rows, strict=True))
    better, next_value, run = np.zeros_like(rewards), agent.worth(agent.scaled(seen))[:, 0], 0.0
    for t in reversed(range(length)):
        error = rewards[t] + discount * next_value * ~done[t] - value[t]
        run = error + discount * smoothing * ~done[t] * run
        better[t], next_value = run, value[t]
    flat = [y.reshape(-1, *y.shape[2:]) for y in (x, actions, chance, better, better + value)]
    return seen, flat, float(total)


def improve(agent, data, rate, epochs=5, parts=8, clip=0.2, calm=0.002):
    """Some passes over the data in random parts; how far the distribution of actions has moved (Kullback-Leibler)."""
    x, actions, chance, better, returns = data
    better = (better - better.mean()) / (better.std() + 1e-8)
    for _ in range(epochs):
        for rows in np.array_split(agent.random.permutation(len(x)), parts):
            means, sigma = agent.policy(x[rows]), np.exp(agent.spread)
            ratio = np.exp(np.clip(agent.likelihood(actions[rows], means) - chance[rows], -20, 20))
            free = np.where(better[rows] > 0, ratio < 1 + clip, ratio > 1 - clip)
            slope = -(better[rows] * ratio * free)[:, None] / len(rows)
            off = (actions[rows] - means) / sigma
            agent.policy.learn(slope * off / sigma, rate)
            agent.spread -= 10 * rate * ((slope * (off**2 - 1)).sum(axis=0) - calm)
            agent.spread = np.clip(agent.spread, -2.5, 0.0)
            agent.worth.learn((agent.worth(x[rows]) - returns[rows, None]) / len(rows), 2 * rate)
    return float(np.mean(chance - agent.likelihood(actions, agent.policy(x))))


def train(
    name,
    *,
    rounds,
    copies=64,
    length=64,
    rate=1e-3,
    seed=0,
    width=64,
    spread=-0.7,
    change=None,
    quiet=False,
    then=None,
    **options,
):
    """Learn for some rounds of `copies` times `length` ticks; the agent, mean rewards and times, s.

    change : how far the distribution of actions shall move in a round; the rate follows it ; then : called after each round
    """
    env = lo.learning.VectorEnv(name, copies, autoreset="same_step", **options)
    agent = Agent(env.single_observation_space.shape[0], env.single_action_space.shape[0], seed, width, spread)
    seen, _ = env.reset(seed=seed)
    began, rewards, times = time.perf_counter(), [], []
    for n in range(rounds):
        seen, data, mean = collect(env, agent, seen, length)
        moved = improve(agent, data, rate)
        if change is not None:
            rate = float(np.clip(rate * (0.7 if moved > 1.5 * change else 1.4 if moved < 0.7 * change else 1.0), 1e-5, 3e-3))
        rewards.append(mean)
        times.append(time.perf_counter() - began)
        if not quiet and n % 10 == 9:
            print(f"round {n + 1:4d}  {times[-1]:6.1f} s  reward of a tick {mean:.4f}", flush=True)
        if then is not None:
            then(agent, n)
    assert not env.copies.missed[:, 0].any(), "a step missed the law of contact"
    return agent, np.array(rewards), np.array(times)


def kept_up(agent, copies=50, seconds=10.0, seed=7):
    """Part of the copies that stay upright, by the mean action, from starts that were not learned from; their angles."""
    env = lo.learning.VectorEnv("cart_pole", copies, autoreset="disabled", duration=2 * seconds)
    seen, _ = env.reset(seed=seed)
    good, angles = np.ones(copies, bool), []
    for _ in range(round(seconds / env.task.tick)):
        seen, _, ended, _, _ = env.step(agent.mean_action(seen))
        good &= ~ended
        angles.append(np.degrees(env.copies.q[:5, 1]))
    return float(good.mean()), np.array(angles)


def main(given=None):
    """Learn, and try what was learned."""
    asked = arguments(__doc__, given)
    agent, rewards, times = train("cart_pole", rounds=40 if asked.short else 120, quiet=asked.quiet)
    before, _ = kept_up(Agent(4, 1, 0))
    upright, angles = kept_up(agent)
    result = {"upright_before": before, "upright": upright, "seconds": float(times[-1]), "rewards": rewards}
    shares = f"{100 * upright:.0f} % of poles stay up for 10 s ({100 * before:.0f} % before)"
    print(f"{shares}, after {times[-1]:.0f} s of learning")
    draw(rewards, times, angles, asked.out / "balance_learned.png")
    save(asked.out, "balance_learned", result)
    return result


def draw(rewards, times, angles, file: Path) -> None:
    """How it learned, and what the poles do."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.plot(times, rewards)
    left.set(xlabel="s of learning", ylabel="mean reward of a tick")
    right.plot(0.02 * np.arange(1, len(angles) + 1), angles)
    right.set(xlabel="t in s", ylabel="angle of the pole in degrees", title="five new starts")
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
