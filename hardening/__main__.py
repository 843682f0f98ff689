"""Run the campaigns: ``python -m hardening --kills 100 --faults 10 --damage 400``.

Each prints one line of numbers and raises an error if anything was lost or silently wrong.
``--minutes`` bounds the time of each campaign; it then says how far it came.
"""

from __future__ import annotations

import argparse
from time import monotonic

from hardening import cluster, damage, faults, kills, soak


def main() -> None:
    """Run the campaigns that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m hardening", description=__doc__)
    parser.add_argument("--kills", type=int, default=0, metavar="N", help="kill runs N times")
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="each fault N times")
    parser.add_argument("--cluster", type=int, default=0, metavar="N", help="kill in N Dask runs")
    parser.add_argument("--damage", type=int, default=0, metavar="N", help="damage N stores")
    parser.add_argument("--soak", type=int, default=0, metavar="N", help="do N units in one run")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most, for each campaign")
    given = parser.parse_args()
    campaigns = (kills, faults, cluster, damage, soak)
    for campaign in campaigns:
        name = campaign.__name__.rpartition(".")[2]
        number = getattr(given, name)
        if number:
            start = monotonic()
            said = campaign.campaign(number, start + 60 * given.minutes)
            print(f"{name}: {said}", flush=True)


if __name__ == "__main__":
    main()
