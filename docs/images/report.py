"""Take the pictures of the report page: ``python docs/images/report.py``.

Needs a Chromium, Chrome or Edge and the package playwright; the predictions are those of three
classifiers on scikit-learn's handwritten digits.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import wager

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "microsoft-edge")
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def comparison() -> Any:
    """A plain and two cautious classifiers on handwritten digits."""
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveBayes, NaiveCredal, Nondeterministic
    from wager.prepare import MDLDiscretizer

    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, np.array(NAMES)[y], test_size=0.5, random_state=0)
    forest = RandomForestClassifier(60, max_depth=6, random_state=0)
    models = {
        "naive Bayes": make_pipeline(MDLDiscretizer(), NaiveBayes()),
        "naive credal": make_pipeline(MDLDiscretizer(), NaiveCredal(s=2)),
        "forest with sets": Nondeterministic(forest),
    }
    sets = {name: wager.predict_set(model.fit(X, y), X_new) for name, model in models.items()}
    return wager.head_to_head(y_new, sets, classes=sorted(NAMES))


def take(page: Path, folder: Path) -> None:
    """Take a picture of the page on a desk and on a phone."""
    from playwright.sync_api import sync_playwright

    browser_path = next(path for name in BROWSERS if (path := shutil.which(name)))
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--headless=new", "--disable-gpu"]
        )
        desk = browser.new_page(viewport={"width": 1180, "height": 1240})
        desk.goto(f"{page.as_uri()}#u=0.7")
        desk.locator("#profile").evaluate("node => node.scrollIntoView({ behavior: 'instant' })")
        desk.wait_for_timeout(500)
        desk.screenshot(path=folder / "report.png")
        phone = browser.new_page(
            viewport={"width": 390, "height": 780}, color_scheme="dark", device_scale_factor=2
        )
        phone.goto(f"{page.as_uri()}#u=0.8")
        phone.wait_for_timeout(500)
        phone.screenshot(path=folder / "report-phone.png")
        browser.close()


def shrink(picture: Path) -> None:
    """Reduce the colours, which makes the file a third as large."""
    from PIL import Image

    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)


def main() -> None:
    """Make the page, take the pictures, and put them beside this file."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        comparison().report(page, title="Handwritten digits: three classifiers on the same rows")
        take(page, HERE)
    for name in ("report.png", "report-phone.png"):
        shrink(HERE / name)


if __name__ == "__main__":
    main()
