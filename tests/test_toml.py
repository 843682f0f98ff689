"""TOML that tomllib would need minutes for is refused; whatever people write is read as before."""

import tomllib

import pytest
from hypothesis import given, strategies as st

from wager._toml import parsed_toml

DEEP = "a." * 5000 + "b"
DOTS = "." * 5000


@pytest.mark.parametrize(
    "text",
    [
        f"{DEEP} = 1",
        f"x = 1\n[{DEEP}]\n",
        f"[[{DEEP}]]\n",
        f"x = {{y = 1, {DEEP} = 1}}",
        f"{DEEP.replace('.', ' . ')} = 1",
        '\'a.b\'."c\\".".' * 5000 + "d = 1",
        f'x = """a"""""\n{DEEP} = 1',
        f'x = {{y = """a"""", {DEEP} = 1}}',
        f"x = {{y = '''a'''', {DEEP} = 1}}",
        f"x = '\\' # '''\n{DEEP} = 1",
        f'x = "\\\\" # """\n{DEEP} = 1',
        "x = " + "[" * 3000,
    ],
)
def test_deep_keys_are_refused_before_they_are_parsed(text):
    with pytest.raises(RecursionError):
        parsed_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f"x = '{DOTS}'",
        f'x = "a\\"{DOTS}"',
        f'x = """\n{DOTS}\n"{DOTS}\\""" {DOTS}"""',
        f"x = '''\n{DOTS}\n'{DOTS}'''",
        f"x = 1 # {DOTS}",
        f"'{DOTS}' = 1",
        "a." * 99 + "b = 1",
        "x = [" + "0.5, " * 500 + "]",
        "\n".join(f"a.b{i} = 1.5" for i in range(500)),
    ],
)
def test_dots_in_text_numbers_and_many_keys_are_read(text):
    assert parsed_toml(text) == tomllib.loads(text)


@given(st.text(alphabet="'\"\\#=.,[]{} \nab", max_size=60))
def test_the_scan_changes_nothing_of_a_shallow_text(text):
    def outcome(read):
        try:
            return read(text + "\n#" + DOTS)
        except tomllib.TOMLDecodeError:
            return None

    assert outcome(parsed_toml) == outcome(tomllib.loads)


@given(st.text(alphabet="'\"\\#\n", max_size=60).map(lambda text: f"x = {text}\n{DEEP} = 1"))
def test_no_quotes_hide_a_deep_key(text):
    try:
        tomllib.loads(text.replace(DEEP, "deep"))
    except tomllib.TOMLDecodeError:
        return  # where tomllib would stop as well
    if "deep" in tomllib.loads(text.replace(DEEP, "deep")):
        with pytest.raises(RecursionError):
            parsed_toml(text)


def test_text_without_ends_is_scanned_once():
    for text in ('\n\\"""' * 100_000, "\n'''" * 100_001, '"\n' * 100_000, "'" * 300_000):
        with pytest.raises(tomllib.TOMLDecodeError):
            parsed_toml(f"# {DOTS}\n{text}")
