"""A policy learned by proximal policy optimisation (J. Schulman et al., arXiv 1707.06347), in NumPy alone.

    python examples/learning_ppo.py                           cart-pole: upright in half a minute
    python examples/learning_ppo.py quadruped --minutes 10    a quadruped that walks

Writes the policy and prints the mean reward of a tick as it goes on.
"""

import argparse
import time

import numpy as np

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

    def __init__(self, seen, actions, seed, width=64):
        random = np.random.default_rng(seed)
        self.policy = Network([seen, width, width, actions], random)
        self.worth = Network([seen, width, width, 1], random, last=1.0)
        self.spread, self.random = np.full(actions, -0.7), random  # logarithm of the standard deviation
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

    def likelihood(self, actions, means):
        """(n,) logarithm of the density of actions."""
        return (-0.5 * ((actions - means) / np.exp(self.spread)) ** 2 - self.spread).sum(axis=1)


def collect(env, agent, seen, length, discount=0.99, smoothing=0.95):
    """Ticks of all copies: what was seen, done, how likely, by how much better than expected, and what came of it."""
    rows = []
    for _ in range(length):
        agent.look(seen)
        x = agent.scaled(seen)
        actions = agent.act(x)
        chance, value = agent.likelihood(actions, agent.policy.layers[-1]), agent.worth(x)[:, 0]
        seen, rewards, ended, cut, info = env.step(np.clip(actions, -1, 1).astype(np.float32))
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
    return seen, flat, float(rewards.mean())


def improve(agent, data, rate, epochs=5, parts=8, clip=0.2, calm=0.002):
    """Some passes over the data in random parts."""
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


def train(name, copies, length, minutes, rate, seed=0, stop=None, **options):
    """Learn for a time; the agent, and (seconds, mean reward) as it went on."""
    env = lo.learning.VectorEnv(name, copies, autoreset="same_step", **options)
    agent = Agent(env.single_observation_space.shape[0], env.single_action_space.shape[0], seed)
    seen, _ = env.reset(seed=seed)
    began, course = time.perf_counter(), []
    while time.perf_counter() - began < 60 * minutes:
        seen, data, mean = collect(env, agent, seen, length)
        improve(agent, data, rate)
        course.append((time.perf_counter() - began, mean))
        spread = np.exp(agent.spread).mean()
        print(f"{course[-1][0]:7.1f} s  {len(course):5d}  reward of a tick {mean:8.4f}  spread {spread:.3f}", flush=True)
        if stop is not None and mean > stop:
            break
    assert not env.copies.missed[:, 0].any(), "a step missed the law of contact"
    return agent, course


if __name__ == "__main__":
    words = argparse.ArgumentParser()
    words.add_argument("task", nargs="?", default="cart_pole")
    words.add_argument("--minutes", type=float, default=0.5)
    words.add_argument("--copies", type=int, default=64)
    words.add_argument("--out", default="policy.npz")
    asked = words.parse_args()
    agent, _ = train(asked.task, asked.copies, 64, asked.minutes, 1e-3)
    layers = {f"{kind}{k}": x for kind in ("weights", "biases") for k, x in enumerate(getattr(agent.policy, kind))}
    np.savez(asked.out, mean=agent.mean, second=agent.second, **layers)
    print(f"the policy is in {asked.out}")
