"""Damaged files are answered by a sentence: no crash, no hang, no gigabytes, no other error."""

import os
import time

import pytest

from tests.fuzz import children, damage, readers


def test_damaged_files_of_all_kinds_are_answered_by_a_sentence():
    """One file for every reader, and some more for the fast ones, which are last in a round."""
    every, last = len(readers.readers()), readers.round_length()
    for first, stop in ((0, every), (last - 60, last)):
        assert children.try_cases(readers.attempt, first, stop) == (stop, [])
    assert {readers.reader_of(number) for number in range(every)} == set(readers.readers())


def test_a_case_is_the_same_bytes_every_time():
    cases = range(1000, 1000 + len(readers.readers()))
    first = [readers.content_of(number) for number in cases]
    assert [readers.content_of(number) for number in cases] == first
    assert len(set(first)) == len(cases)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda: os.kill(os.getpid(), 11), "the process ended with -11"),
        (lambda: time.sleep(60), "the process ended with 1: Timeout"),
        (lambda: b"x" * (200 << 20), "MB"),
        (lambda: 1 / 0, "ZeroDivisionError"),
    ],
    ids=["crash", "hang", "memory", "error"],
)
def test_what_ends_a_case_is_named_and_the_others_go_on(harm, said, monkeypatch):
    monkeypatch.setattr(children, "SECONDS", 0.2 if said.endswith("Timeout") else 60)
    monkeypatch.setattr(children, "GROWTH", 100 << 10)

    def attempt(number, folder):
        return harm() and None if number == 7 else None

    stop, faults = children.try_cases(attempt, 5, 10)
    assert stop == 10
    assert [fault.case for fault in faults] == [7]
    assert said in faults[0].text


def test_damage_inside_a_store_has_the_checksum_of_the_damaged_record():
    """Otherwise the checksum would refuse every record, and nothing behind it would be reached."""
    import random
    import sqlite3

    from wager.experiments.store._database import is_intact, unit_records

    whole = readers.seeds().stores[0]
    changed = 0
    for number in range(40):
        data = damage.store(whole, random.Random(number))
        with sqlite3.connect(":memory:") as database:
            try:
                database.deserialize(data[:18] + b"\x01\x01" + data[20:])
                records = list(unit_records(database))
            except sqlite3.Error:
                continue
        changed += all(map(is_intact, records)) and data != whole
    assert changed > 10
