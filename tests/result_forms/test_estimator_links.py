"""Estimators link to their page of the documentation in notebooks."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import BaseEstimator

from wager import _doc_links, learners, prepare
from wager.learners import NaiveCredal

ESTIMATORS = [
    (package, thing)
    for package in (learners, prepare)
    for name in package.__all__
    for thing in [getattr(package, name)]
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
]
ADDRESS = "https://example.org/wager/"


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(_doc_links, "documentation_url", lambda: ADDRESS)


@pytest.mark.parametrize(("package", "kind"), ESTIMATORS, ids=lambda item: item.__name__)
def test_the_link_leads_to_the_page_of_the_public_name(package, kind, known):
    estimator = kind.__new__(kind)
    name = f"{package.__name__}.{kind.__name__}"
    assert estimator._get_doc_link() == f"{ADDRESS}api/generated/{name}.html"


def test_the_diagram_has_the_link(known):
    assert f"{ADDRESS}api/generated/wager.learners.NaiveCredal.html" in NaiveCredal()._repr_html_()


def test_without_a_known_address_there_is_no_link(monkeypatch):
    monkeypatch.setattr(_doc_links, "documentation_url", lambda: None)
    assert NaiveCredal()._get_doc_link() == ""
    assert "api/generated" not in NaiveCredal()._repr_html_()


def test_an_estimator_that_a_user_derives_has_no_link(known):
    class Own(NaiveCredal):
        pass

    assert Own()._get_doc_link() == ""


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["Documentation, https://example.org/docs"], "https://example.org/docs/"),
        (["Source, https://example.org", "documentation,https://example.org/d/"],
         "https://example.org/d/"),
        (["Source, https://example.org"], None),
        (None, None),
    ],
)  # fmt: skip
def test_the_address_comes_from_the_project_urls(monkeypatch, entries, expected):
    class Metadata:
        def get_all(self, name):
            return entries if name == "Project-URL" else None

    monkeypatch.setattr(_doc_links, "metadata", lambda name: Metadata())
    assert _doc_links.documentation_url.__wrapped__() == expected
