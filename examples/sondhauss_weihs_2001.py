"""The example of Sondhauss & Weihs (2001): three chi-square classes, three classifiers.

    python examples/sondhauss_weihs_2001.py [FOLDER]

reruns it on a few draws (``wager study run sondhauss-weihs-2001`` does so on many), prints the
measures and what the paper says of them, and draws Figures 1 to 3 into the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wager.experiments import studies
from wager.plots import save


def main(folder: str = "figures") -> None:
    """Run the study, print what it found, draw the figures."""
    study = studies.get("sondhauss-weihs-2001")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    study.run(study.store(quick=True, folder=place), quick=True)
    found = study.report(study.store(quick=True, folder=place))
    print(found.section())
    for title, draw in found.figures.items():
        path = place / f"{title.lower().replace(' ', '')}.png"
        save(draw(), path)
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
