"""The documentation site: ``make docs`` builds it from this folder into ``build/site/``."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
from gallery_images import figures, pages
from public_names import other_names

project = "wager"
author = "the wager developers"
copyright = "the wager developers"
release = version = installed("wager")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "code_blocks",
    "mathml",
    "public_names",
    "try_page",
]
exclude_patterns = [
    *("_ext", "_templates", "gallery", "images", "results"),
    *("auto_gallery/**/*.ipynb", "auto_gallery/*.ipynb", "**sg_execution_times.rst"),
]
smartquotes = False
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the settings of sphinx-gallery contain functions

# Pages in Markdown, and notebooks as they were stored.
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"

# The reference: one page per public name, from its docstring.
autosummary_generate = True
autosummary_context = {"other_names": other_names}
autosummary_filename_map = {"wager.report.page": "wager.report.page-function"}  # beside Page
autodoc_typehints = "none"
autodoc_member_order = "bysource"
default_role = "py:obj"
add_module_names = False
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True

# The gallery: scripts that are run by the build, which needs no word about the time of compiling.
os.environ.setdefault("WAGER_COMPILE", "never")
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("wager",),
    "reference_url": {"wager": None},
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "capture_repr": ("_repr_html_",),
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        *("gallery/compare", "gallery/utilities", "gallery/costs"),
        *("gallery/credal", "gallery/probabilities", "gallery/partitions"),
    ],
    "image_scrapers": (figures, pages),
}

html_theme = "pydata_sphinx_theme"
html_title = f"wager {release}"
html_favicon = "_static/wager.svg"
html_static_path = ["_static"]
html_css_files = ["wager.css"]
html_js_files = ["names.js"]
html_search_scorer = str(Path(__file__).parent / "_ext" / "scorer.js")
html_context = {"default_mode": "auto"}
html_math_renderer = "mathml"
html_additional_pages = {"contents": "contents.html"}
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "text": "wager",
        "alt_text": "wager, the first page",
        "image_light": "_static/wager.svg",
        "image_dark": "_static/wager.svg",
    },
    "navbar_start": ["navbar-logo", "version"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if versions := os.environ.get("WAGER_DOCS_VERSIONS"):  # the address of a list of all versions
    html_theme_options["switcher"] = {"json_url": versions, "version_match": release}
    html_theme_options["navbar_start"] = ["navbar-logo", "version-switcher"]
copybutton_exclude = ".linenos, .gp, .go"
