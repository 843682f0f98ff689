"""A software bill of materials: what ``pip install wager`` installs, with versions and licences.

Run by the Python of an environment in which wager is installed; it needs the standard library
alone.  Prints CycloneDX 1.5 as JSON.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution


def needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """A package and all that it requires without extras, by normalised name."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return found
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:  # required on another system only
        return found
    for line in found[key].requires or []:
        if "extra ==" not in line:
            needed(re.split(r"[ ;<>=!~\[(]", line, maxsplit=1)[0], found)
    return found


def licence(package: Distribution) -> str:
    """The licence that a package declares: the expression, or else the classifiers."""
    data = package.metadata
    classified = [
        line.rpartition(" :: ")[2] for line in data.get_all("Classifier") or [] if "License" in line
    ]
    text = (data.get("License") or "").strip().split("\n")[0]
    return data.get("License-Expression") or ", ".join(classified) or text[:80] or "not declared"


def bill(root: str) -> dict[str, object]:
    """The bill of a package and of what it requires."""
    packages = needed(root, {})
    components = [
        {
            "type": "library",
            "name": key,
            "version": package.version,
            "purl": f"pkg:pypi/{key}@{package.version}",
            "licenses": [{"license": {"name": licence(package)}}],
        }
        for key, package in sorted(packages.items())
        if key != root
    ]
    main = {"type": "library", "name": root, "version": packages[root].version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": main},
        "components": components,
    }


if __name__ == "__main__":
    print(json.dumps(bill("wager"), indent=2))
