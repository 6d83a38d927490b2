#!/usr/bin/env python3
"""BCa intervals of 100,000 scores, by Tribunal and by scipy.stats.bootstrap on the same scores in the same run.

    python3 -m venv VENV && VENV/bin/pip install scipy
    VENV/bin/python benches/bootstrap/against_scipy.py

Any Python with scipy 1.9 or newer does. What is compared, 10,000 resamples each:

- `grouped, from items`: the mean over 100,000 items in 1,000 groups, groups drawn with all their items. scipy draws the
  numbers of groups, and the statistic goes to the items of the drawn groups: scipy knows no groups, so this is how a
  statistic of grouped items is written for it. All groups have 100 items, so the gather is one numpy call.
- `grouped, from sums`: the same, after scipy too was handed the 1,000 sums and sizes instead of the items. It is what
  Tribunal does by itself, and the best case for scipy; it only works for statistics of sums.
- `ungrouped`: the mean over 100,000 independent items, scipy's own vectorised np.mean. scipy is asked for the plain
  percentile interval here, Tribunal for BCa: scipy's BCa goes over all items once for each item left out, 10^10 numbers.

Where 10,000 resamples would take scipy minutes, two smaller numbers are timed and the line through both gives the time of
10,000. Memory is kept in bounds by `batch`. Each is done several times and the fastest counts, for both. Both use the cores
that they use by default: scipy one, Tribunal all (set RAYON_NUM_THREADS=1 for one).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import scipy
    from scipy.stats import bootstrap
except ImportError as missing:
    sys.exit(f"{missing}: run with a Python that has scipy (python3 -m venv DIR && DIR/bin/pip install scipy)")

ITEMS, GROUPS, RESAMPLES = 100_000, 1_000, 10_000
ROOT = pathlib.Path(__file__).resolve().parents[2]


def made_up():
    generator = np.random.default_rng(7)
    group = np.arange(ITEMS) % GROUPS
    win = (0.2 + 0.4 * generator.random(GROUPS))[group]
    draw = generator.random(ITEMS)
    return group, np.where(draw < win, 1.0, np.where(draw < win + 0.3, 0.5, 0.0))


def ours(group, score):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scores.csv"
        path.write_text("".join(f"{g},{s}\n" for g, s in zip(group, score)))
        command = ["cargo", "bench", "--quiet", "--locked", "--bench", "bootstrap", "--", "--json", str(path)]
        out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {line["work"]: line for line in map(json.loads, out.splitlines())}


def fastest(work, rounds):
    best = None
    for _ in range(rounds):
        started = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - started
        if best is None or seconds < best[0]:
            best = (seconds, result)
    return best


def timed(data, statistic, batch, resamples, rounds, method="BCa", **options):
    """Seconds for RESAMPLES resamples, and the interval."""

    def run(number):
        generator = np.random.default_rng(1)
        return bootstrap(
            data, statistic, n_resamples=number, batch=batch, method=method, vectorized=True, random_state=generator, **options
        ).confidence_interval

    seconds, interval = fastest(lambda: run(resamples), rounds)
    if resamples < RESAMPLES:
        few, _ = fastest(lambda: run(resamples // 5), rounds)
        each = (seconds - few) / (resamples - resamples // 5)
        seconds = few + each * (RESAMPLES - resamples // 5)
    return seconds, interval


def main():
    group, score = made_up()
    mine = ours(group, score)
    items = np.stack([score[group == g] for g in range(GROUPS)])
    sums, sizes = items.sum(axis=1), np.full(GROUPS, items.shape[1], dtype=float)

    def of_groups(drawn, axis=-1):
        drawn = np.moveaxis(drawn, axis, -1).astype(int)
        return items[drawn].mean(axis=(-2, -1))

    def of_sums(total, size, axis=-1):
        return total.sum(axis=axis) / size.sum(axis=axis)

    theirs = {
        "grouped, from items": ("grouped", timed((np.arange(GROUPS),), of_groups, 50, 1_000, 2)),
        "grouped, from sums": ("grouped", timed((sums, sizes), of_sums, 500, RESAMPLES, 3, paired=True)),
        "ungrouped": ("ungrouped", timed((score,), np.mean, 50, 500, 2, method="percentile")),
    }
    print(f"scipy {scipy.__version__}, numpy {np.__version__}, {os.cpu_count()} cores; {RESAMPLES} resamples of {ITEMS} items")
    print("| work | Tribunal, s | scipy, s | ratio | Tribunal's interval | scipy's interval |\n|---|---|---|---|---|---|")
    for name, (work, (seconds, interval)) in theirs.items():
        own = mine[work]
        print(
            f"| {name} | {own['seconds']:.4f} | {seconds:.2f} | {seconds / own['seconds']:.0f} "
            f"| {own['lower']:.4f} to {own['upper']:.4f} | {interval.low:.4f} to {interval.high:.4f} |"
        )
    if mine["grouped"]["seconds"] >= 2.0:
        sys.exit("over two seconds for 10,000 resamples of 1,000 groups")


main()
