"""Sweeps under fire, counted: `python benchmarks/many_runs.py WORD`.

kills     60 kills at random times, of a sweep in one process and in two: the same table, no finished point computed again
rate      10,000 snakeboards of 10 s in one process and in two, beside a bare loop over systems, runs and measures
cluster   10,000 snakeboards of 10 s on four Dask workers; two of them, then the scheduler are killed: the table of one process
rows      1,000,000 points on lanes: time, and memory along the way
machines  two workers in network namespaces with addresses and compile caches of their own, and one of another version (Linux,
          as root)
optima    the best circle of a Purcell swimmer, and a gait of 20 parameters: killed and begun again, to the same digits
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import locomote as lo

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
BOARD = {"amplitude": lo.span(0.1, 0.9, 100), "rotor_amplitude": lo.span(0.2, 0.7, 100)}
MEASURES = ["net.distance", "net.x", "work.drives"]


def counted(amplitude, log):
    """A snakeboard; every computation leaves a line."""
    with Path(log).open("a") as stream:
        stream.write(f"{amplitude!r}\n")
    return lo.systems.load("snakeboard", amplitude=amplitude)


def written(folder: Path) -> list[float]:
    """Points in the parts of a folder."""
    from pyarrow import parquet

    parts = sorted((folder / "parts").glob("*.parquet"))
    return [x for part in parts for x in parquet.read_table(part)["@amplitude"].to_pylist()]


def child(*words: str, **more) -> subprocess.Popen:
    """This script once more, in a process group of its own."""
    return subprocess.Popen([sys.executable, __file__, *words], start_new_session=True, env=environment(), **more)


def environment(**more) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE), str(HERE)])} | more


# kills


def kills(count=60, points=20000):
    """The same sweep, killed again and again."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name) / "sweep", Path(name) / "log"
        log.touch()
        again, lost, states = 0, 0, []
        for n in range(count):
            process = child("counted", name, str(points), str(1 + n % 2))
            while process.poll() is None and not lock_held(folder):
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 4.0))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            lines, there = log.read_text().split(), written(folder) if folder.exists() else []
            states.append((len(lines), there))
            print(f"kill {n + 1:2d}: {len(there)} points on the disk, {len(lines)} computed", flush=True)
        ended = child("counted", name, str(points), "1").wait()
        lines = [float(line) for line in log.read_text().split()]
        for length, there in states:
            again += len(set(there) & set(lines[length:]))
        lost = len(lines) - len(set(lines))
        rows, table = written(folder), lo.sweeps.read_points(folder / "table.parquet").columns
        whole = lo.sweep(counted, axes(name, points), measure=MEASURES, audit=False, duration=1.0, progress=False)
        same = all(np.array_equal(table[f"={key}"], whole[key]) for key in MEASURES)
        print(
            f"exit code {ended}; {len(table['key'])} rows, identical with those of one process without kills: {same}; "
            f"rows twice: {len(rows) - len(set(rows))}; finished points computed again: {again}; "
            f"lost under way and computed again: {lost}"
        )


def axes(folder: str, points: int) -> dict:
    return {"amplitude": lo.span(0.1, 0.9, points), "log": [str(Path(folder) / "log")]}


def run_counted(folder: str, points: str, processes: str):
    """What is killed."""
    lo.sweep(
        counted, axes(folder, int(points)), measure=MEASURES, folder=Path(folder) / "sweep", processes=int(processes),
        audit=False, duration=1.0, progress=False,
    )  # fmt: skip


def lock_held(folder: Path) -> bool:
    """Whether a sweep has begun in a folder."""
    import fcntl

    if not (folder / "lock").exists():
        return False
    with (folder / "lock").open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


# cluster


class Machines:
    """A Dask scheduler and workers as processes; ended by their ids."""

    def __init__(self, host="127.0.0.1"):
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.host, self.folder, self.running = host, tempfile.mkdtemp(), []

    def start(self, program: str, *words: str, inside=(), **more: str) -> subprocess.Popen:
        """A program of Dask; inside : words before the command."""
        command = [*inside, sys.executable, "-m", f"distributed.cli.dask_{program}", *words, "--no-dashboard"]
        log = Path(self.folder, f"{len(self.running)}-{program}.log").open("w")
        process = subprocess.Popen(
            command, env=environment(**more), cwd=self.folder, stdout=log, stderr=log, start_new_session=True
        )
        self.running.append(process)
        return process

    def scheduler(self):
        return self.start("scheduler", "--host", self.host, "--port", str(self.port))

    def worker(self):
        return self.start("worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1", "--no-nanny")

    def kill(self, process):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def end(self):
        for process in self.running:
            if process.poll() is None:
                self.kill(process)
        shutil.rmtree(self.folder, ignore_errors=True)


def cluster():
    """10,000 runs with losses."""
    options = {"measure": MEASURES, "duration": 10.0, "audit": False, "progress": False}
    began = time.perf_counter()
    whole = lo.sweep("snakeboard", BOARD, **options)
    took, failed = time.perf_counter() - began, int(whole.failed.sum())
    print(f"one process: {len(whole)} runs in {took:.1f} s, {failed} failed", flush=True)
    machines, folder = Machines(), Path(tempfile.mkdtemp()) / "sweep"
    try:
        scheduler, workers = machines.scheduler(), [machines.worker() for _ in range(4)]

        def trouble():
            for share, victims in ((0.25, workers[:2]), (0.5, [scheduler])):
                while rows_on_disk(folder) < share * len(whole):
                    time.sleep(0.1)
                for process in victims:
                    machines.kill(process)
                print(f"killed {len(victims)} at {rows_on_disk(folder)} rows", flush=True)
            machines.scheduler()
            for _ in range(2):
                machines.worker()

        thread = threading.Thread(target=trouble, daemon=True)
        thread.start()
        began = time.perf_counter()
        found = lo.sweep("snakeboard", BOARD, cluster=f"tcp://127.0.0.1:{machines.port}", folder=folder, **options)
        same = all(np.array_equal(found[key], whole[key]) for key in MEASURES)
        print(f"four workers: {len(found)} runs in {time.perf_counter() - began:.1f} s, identical: {same}")
        print(f"rows on the disk {rows_on_disk(folder)}; the scheduler was started again: {not thread.is_alive()}")
    finally:
        machines.end()
        shutil.rmtree(folder.parent)


def rows_on_disk(folder: Path) -> int:
    from pyarrow import parquet

    return sum(parquet.read_metadata(part).num_rows for part in (folder / "parts").glob("*.parquet"))


# rate


def rate(turns=4):
    """What a sweep takes more than a loop does, and less in two processes; the loop and one process take turns."""
    from locomote.sweeps.measures import measured

    options = {"measure": MEASURES, "duration": 10.0, "audit": False, "progress": False}
    amplitudes, rotors = (np.linspace(axis.first, axis.last, axis.count) for axis in BOARD.values())
    system = lo.systems.load("snakeboard")
    share, spent = len(amplitudes) // turns, {"loop": 0.0, "sweep": 0.0}
    for n in range(turns):
        part = amplitudes[n * share : (n + 1) * share]
        began = time.perf_counter()
        for amplitude in part:
            for rotor in rotors:
                other = system.with_parameters({"amplitude": float(amplitude), "rotor_amplitude": float(rotor)})
                (q, v), problem = other.initial, other.problem()
                measured(problem.simulate(10.0, q=q, v=v, progress=False), tuple(MEASURES))
        spent["loop"] += time.perf_counter() - began
        began = time.perf_counter()
        lo.sweep("snakeboard", {"amplitude": part, "rotor_amplitude": rotors}, **options)
        spent["sweep"] += time.perf_counter() - began
    began, count = time.perf_counter(), len(amplitudes) * len(rotors)
    lo.sweep("snakeboard", BOARD, processes=2, **options)
    spent["two"] = time.perf_counter() - began
    for name, seconds in spent.items():
        print(f"{name:6s} {seconds:6.1f} s, {count / seconds:6.0f} runs a second, {1e3 * seconds / count:.2f} ms each")


# rows


def rows(side=1000):
    """A million points on lanes."""
    sizes, done = [], threading.Event()

    def watch():
        while not done.wait(0.25):
            sizes.append((time.perf_counter() - began, memory()))

    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        thread = threading.Thread(target=watch)
        thread.start()
        found = lo.sweep(
            "snakeboard", {"rotor.mass": lo.span(1.0, 2.0, side), "board.mass": lo.span(2.0, 8.0, side)},
            measure="net.distance", duration=10.0, method="rk4", step=0.05, audit=False, folder=Path(name) / "s",
            progress=False,
        )  # fmt: skip
        took = time.perf_counter() - began
        done.set()
        thread.join()
        parts = len(list((Path(name) / "s" / "parts").iterdir()))
    each, failed = 1e6 * took / len(found), int(found.failed.sum())
    print(f"{len(found)} rows in {took:.1f} s, {each:.1f} us each, {parts} parts, {failed} failed")
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        print(f"memory at {share:4.0%} of the time: {next(m for t, m in sizes if t >= share * took):.0f} MB")
    print(f"most: {max(m for _, m in sizes):.0f} MB (all rows in one table at the end)")


def memory() -> float:
    """Of this process, MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


# machines


def machines():
    """Workers behind addresses of their own."""
    from distributed import Client

    found, names = Machines("0.0.0.0"), ("locomote1", "locomote2")
    try:
        for n, name in enumerate(names, 1):
            for line in (
                f"ip netns add {name}", f"ip link add lm{n}a type veth peer name lm{n}b", f"ip link set lm{n}b netns {name}",
                f"ip addr add 10.77.{n}.1/24 dev lm{n}a", f"ip link set lm{n}a up",
                f"ip netns exec {name} ip addr add 10.77.{n}.2/24 dev lm{n}b", f"ip netns exec {name} ip link set lm{n}b up",
                f"ip netns exec {name} ip link set lo up", f"ip netns exec {name} ip route add default via 10.77.{n}.1",
            ):  # fmt: skip
                subprocess.run(line.split(), check=True)

        def worker(n: int, source=SOURCE):
            cache = Path(found.folder, f"cache{n}{source.parent.name}")
            cache.mkdir(mode=0o700)
            return found.start(
                "worker", f"tcp://10.77.{n}.1:{found.port}", "--nthreads", "1", "--no-nanny", "--host", f"10.77.{n}.2",
                inside=("ip", "netns", "exec", names[n - 1]), LOCOMOTE_CACHE_DIR=str(cache), PYTHONPATH=str(source),
            )  # fmt: skip

        found.scheduler()
        own = [worker(1), worker(2)]
        options = {"measure": MEASURES, "duration": 10.0, "audit": False, "progress": False}
        points = {"amplitude": lo.span(0.1, 0.9, 200)}
        with Client(f"tcp://127.0.0.1:{found.port}", set_as_default=False, timeout=60) as client:
            client.wait_for_workers(2, timeout=120)
            print("workers:", ", ".join(sorted(client.nthreads())), flush=True)
            began = time.perf_counter()
            far = lo.sweep("snakeboard", points, cluster=client, **options)
            cold, began = time.perf_counter() - began, time.perf_counter()
            lo.sweep("snakeboard", {"amplitude": lo.span(0.1, 0.91, 200)}, cluster=client, **options)
            warm = time.perf_counter() - began
            near = lo.sweep("snakeboard", points, **options)
            same = all(np.array_equal(far[key], near[key]) for key in MEASURES)
            print(f"{len(far)} runs: {cold:.1f} s with empty caches, {warm:.1f} s after that; identical: {same}", flush=True)
            for process in own:
                found.kill(process)
            other = Path(found.folder, "other", "src")
            shutil.copytree(SOURCE, other)
            with (other / "locomote" / "errors.py").open("a") as stream:
                stream.write("\n# another version\n")
            worker(1, other)
            deadline = time.monotonic() + 60
            while not client.nthreads() or len(client.nthreads()) > 1:
                assert time.monotonic() < deadline
                time.sleep(0.2)
            try:
                lo.sweep("snakeboard", points, cluster=client, **options)
                print("a worker of another version was NOT refused")
            except lo.sweeps.SweepError as error:
                print(f"refused: {error}")
    finally:
        found.end()
        for n, name in enumerate(names, 1):
            subprocess.run(["ip", "netns", "del", name], check=False)
            subprocess.run(["ip", "link", "del", f"lm{n}a"], check=False, stderr=subprocess.DEVNULL)


# optima


def circle(folder):
    """The amplitude of a circle in the plane of both hinges that takes Purcell's swimmer farthest in a stroke."""
    return lo.optimize(
        "purcell_swimmer", {"amplitude": (0.2, 2.5)}, goal="net.x", duration=2 * np.pi, rtol=1e-10, atol=1e-12, evaluations=400,
        tolerance=1e-7, folder=folder, progress=False,
    )  # fmt: skip


def gait(folder, links=11):
    """Ten hinges of a swimmer of eleven rods in honey: 20 amplitudes and phases, populations side by side on lanes."""
    builder, honey, drives, drag = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0)), lo.Fluid(1000.0, 1.0), {}, []
    for k in range(links):
        place = {"parent": f"rod{k - 1}", "at": (0.1, 0, 0), "joint": lo.Joint(f"hinge{k}")} if k else {}
        builder.body(f"rod{k}", inertia=lo.Inertia(1.0, moment=(1, 1, 1)), **place)
        drag.append(lo.water.Resistive(f"rod{k}", honey, (0, 0, 0), (0.1, 0, 0), along=1.0, across=2.0))
        if k:
            drives[f"hinge{k}"] = lo.Sine(0.3, 2 * np.pi, -0.5 * k)
    problem = lo.Locomotion(builder.build(), drives=drives, environment=drag, inertia=False)
    ranges = {f"{name}.amplitude": (0.0, 0.6) for name in drives} | {f"{name}.phase": (-8.0, 2.0) for name in drives}
    start = {f"{name}.phase": -0.5 * k for k, name in enumerate(drives, 1)}
    return lo.optimize(
        problem, ranges, goal="net.x", least=True, start=start, duration=1.0, method="rk4", step=0.01, evaluations=20_000,
        population=24, tolerance=1e-5, folder=folder, progress=False,
    )  # fmt: skip


OPTIMA = {"circle": circle, "gait": gait}


def optima():
    """Both, whole and killed."""
    for name in OPTIMA:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            whole = OPTIMA[name](Path(folder) / "whole")
            took, chance, ended = time.perf_counter() - began, random.Random(2), 0
            best = ", ".join(f"{key} {x:.6g}" for key, x in list(whole.values.items())[:4])
            print(
                f"{name}: {whole.value:.9g} at {best} ..., {whole.evaluations} runs in {took:.1f} s; {whole.reason}", flush=True
            )
            while ended < 5:
                process = child("optimum", name, str(Path(folder) / "killed"))
                while process.poll() is None and not lock_held(Path(folder) / "killed"):
                    time.sleep(0.01)
                time.sleep(chance.uniform(0.2, 0.5 * took))
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                ended += 1
            again = OPTIMA[name](Path(folder) / "killed")
            same = again.values == whole.values and again.value == whole.value
            print(f"{name}: killed {ended} times and begun again: the same digits: {same}", flush=True)


def run_optimum(name: str, folder: str):
    """What is killed."""
    OPTIMA[name](folder)


COMMANDS = {"kills": kills, "rate": rate, "cluster": cluster, "rows": rows, "machines": machines, "optima": optima}
COMMANDS |= {"counted": run_counted, "optimum": run_optimum}  # for processes of their own

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
