"""Purcell's swimmer: its fastest gait and its most thrifty one, from a circle, over the curvature of its connection."""

import time

import common

import locomote as lo

LENGTH = 1 / 3  # m, of a link: the whole swimmer is 1 m long
REGION = (-2.5, 2.5)  # rad


def main(given: list[str] | None = None) -> dict:
    options = common.arguments(__doc__, given)
    count = 41 if options.short else 101
    problem = lo.systems.load("purcell_swimmer", length=LENGTH).problem()
    field = problem.connection_field({"front": (*REGION, count), "rear": (*REGION, count)}).best_frame()
    begin = time.process_time()
    fast = lo.gaits.optimize(problem, "x", cost="none", harmonics=8)
    thrifty = lo.gaits.optimize(problem, "x", cost="length", harmonics=4)
    spent = time.process_time() - begin
    if not options.quiet:
        print(f"displacement a cycle: {fast.value:.5f} of the length; published 0.1035")
        print(f"displacement over length of the path: {thrifty.value:.5f}; published 0.1109")
        print(f"Lighthill's efficiency at constant power: {100 * thrifty.value**2:.3f} %; found in {spent:.2f} s of one core")
    field.plot([fast, thrifty], path=options.out / "purcell_gaits.png")
    result = {"fast": fast.value, "thrifty": thrifty.value, "seconds": spent}
    common.save(options.out, "purcell_gaits", result)
    return result


if __name__ == "__main__":
    main()
