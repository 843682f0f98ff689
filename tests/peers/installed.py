"""Import a peer, or skip the tests of a module by the name of the peer."""

from __future__ import annotations

import sys
import types
import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pytest


def peer(name, distribution=None):
    """A module of a peer; the tests of the module that asks are skipped if it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return import_module(name)
        except ImportError as problem:
            pytest.skip(
                f"{distribution or name.split('.')[0]} cannot be imported: {problem}",
                allow_module_level=True,
            )


def bare(name):
    """A module of a peer, without running the ``__init__.py`` of its packages.

    TorchCP and probly import large libraries there that their measures do not need.
    """
    parts = name.split(".")
    folder = _folder(parts[0])
    for depth in range(1, len(parts)):
        package = ".".join(parts[:depth])
        if package not in sys.modules:
            module = types.ModuleType(package)
            module.__path__ = ["/".join([folder, *parts[1:depth]])]
            sys.modules[package] = module
    return peer(name)


@cache
def _folder(package):
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{package} is not installed", allow_module_level=True)
    return next(iter(spec.submodule_search_locations))
