"""Purcell's swimmer: its fastest gait and its most thrifty one, from a circle, over the curvature of its connection.

Writes purcell_gaits.png.
"""

import sys
import time

import locomote as lo

problem = lo.systems.load("purcell_swimmer", length=1 / 3).problem()  # of total length 1
field = problem.connection_field({"front": (-2.5, 2.5, 101), "rear": (-2.5, 2.5, 101)}).best_frame()

begin = time.process_time()
fast = lo.gaits.optimize(problem, "x", cost="none", harmonics=8)
thrifty = lo.gaits.optimize(problem, "x", cost="length", harmonics=4)
spent = time.process_time() - begin
print(f"displacement a cycle: {fast.value:.5f} of the length; published 0.1035")
print(f"displacement over length of the path: {thrifty.value:.5f}; published 0.1109")
print(f"Lighthill's efficiency at constant power: {100 * thrifty.value**2:.3f} %; both found in {spent:.2f} s of one core")
field.plot([fast, thrifty], path=sys.argv[1] if len(sys.argv) > 1 else "purcell_gaits.png")
assert fast.value > 0.1035 and thrifty.value > 0.1109
