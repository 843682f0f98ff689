"""Links from estimators to their pages in the documentation.

In notebooks scikit-learn draws an estimator as a diagram with a link to its documentation.  The
address comes from the project's metadata; an installation without one has no link.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

__all__ = ["DocumentedEstimator", "documentation_url"]

PAGE = "api/generated/{package}.{name}.html"  # below the address of the documentation


@cache
def documentation_url() -> str | None:
    """The address of the documentation with a slash at its end; None if it is not known."""
    try:
        given = metadata("wager").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    for entry in given:
        label, _, address = entry.partition(",")
        if label.strip().lower() == "documentation" and address.strip():
            return address.strip().rstrip("/") + "/"
    return None


class DocumentedEstimator:
    """Base of estimators whose diagram links to their page; it comes before ``BaseEstimator``."""

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """The names that scikit-learn reads from the signature, again for every clone."""
        names: list[str] = super()._get_param_names()  # type: ignore[misc]
        return names

    @property
    def _doc_link_module(self) -> str:
        """The package whose estimators have a link: none if the address is unknown."""
        known = documentation_url() is not None and not type(self).__name__.startswith("_")
        return "wager" if known else ""

    @property
    def _doc_link_template(self) -> str:
        return f"{documentation_url()}{PAGE}"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package = ".".join(type(self).__module__.split(".")[:2])
        return {"package": package, "name": type(self).__name__}
