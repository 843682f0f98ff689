"""Mistakes that are easily made at the command line, and what the sentences advise."""

import pytest

LABELS = "y_true,y_pred\na,a\nb,b\n"

MISTAKES = {
    "a misspelt column": (
        "y_true,y_perd\na,a\n",
        [],
        "did you mean y_pred? Rename y_perd, or use --pred y_perd",
    ),
    "a misspelt truth": (
        "y_ture,y_pred\na,a\n",
        [],
        "did you mean y_true? Rename y_ture, or use --truth y_ture",
    ),
    "another name of the truth": (
        "truth,y_pred\na,a\n",
        [],
        "name the column of true classes with --truth truth",
    ),
    "both have other names": (
        "truth,prediction\na,a\n",
        [],
        "name the column of true classes with --truth truth; name the predictions with --pred "
        "prediction",
    ),
    "no prefix": (
        "y_true,p:a,p:b\na,1,0\n",
        ["--proba-prefix", ""],
        "--proba-prefix is empty: give the beginning of the names of the columns of "
        "probabilities, such as p: or prob_",
    ),
    "rounded": (
        "y_true,p:a,p:b\na,0.51,0.5\nb,0,1\n",
        [],
        "sum to 1.01: probabilities must sum to 1; put other scores into m: columns; if they were "
        "rounded, write more digits",
    ),
    "percentages": (
        "y_true,p:a,p:b\na,51,49\nb,0,100\n",
        [],
        "a probability is a number from 0 to 1; if these are percentages, divide them by 100",
    ),
    "a large utility": (
        LABELS,
        ["-u", "1.5"],
        "1.5 is not a utility: a number is u(0.5), what a half-right answer is worth, and lies "
        "between 0 and 1, such as 0.65 for u65",
    ),
    "a percentage as level": (
        LABELS,
        ["--level", "95"],
        "--level must lie between 0 and 1, got 95: 95% is 0.95",
    ),
    "no such column": (
        LABELS,
        ["--truth", "label"],
        "there is no column label among y_true, y_pred: did you mean y_true?",
    ),
    "a list of Python": (
        "y_true,set\na,\"['a', 'b']\"\nb,b\n",
        [],
        "--classes; for this set write a|b",
    ),
    "a gap": ("y_true,y_pred\na,a\nb,\n", [], "or leave this row out with --na drop"),
}


@pytest.mark.parametrize(("text", "options", "ending"), MISTAKES.values(), ids=list(MISTAKES))
def test_the_sentence_ends_with_advice_for_the_command_line(wager, tmp_path, text, options, ending):
    file = tmp_path / "q.csv"
    file.write_text(text)
    result = wager("score", file, *options)
    assert result.exit_code == 2
    assert result.stderr.endswith(f"{ending}\n")
    assert result.stderr.count("\n") == 1
    assert not [word for word in ("columns=", "na=", "classes=") if word in result.stderr]


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_level_is_a_share_in_every_command(wager, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(LABELS)
    result = wager(command, "a.csv", "b.csv", "--level", "95")
    assert result.exit_code == 2
    assert result.stderr == "wager: --level must lie between 0 and 1, got 95: 95% is 0.95\n"


def test_one_name_is_singular(wager, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(LABELS)
    result = wager("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--names", "one")
    assert result.stderr == "wager: 1 name was given for 2 files: give one name per file\n"


def test_far_topics_are_not_suggested(wager):
    result = wager("explain", "foo")
    assert result.exit_code == 2
    assert "did you mean" not in result.stderr
    assert "did you mean determinacy?" in wager("explain", "determinasy").stderr


TOPICS = {
    "adjusted": ("adjusted", "hold together"),
    "opinions differ": ("opinions differ", "some the other"),
    "reward for caution": ("r", "How much you reward caution"),
    "r": ("r", "How much you reward caution"),
    "average_cost": ("average_cost", "The mean cost of a prediction, by your cost file."),
    "mistake-averse": ("mistake-averse", "The mode of p-discounted costs"),
    "property 6": ("property_6", "Property 6"),
    "brier within bins": ("brier_within_bins", "lost by putting rows with different"),
}


@pytest.mark.parametrize(("word", "found"), TOPICS.items())
def test_words_of_outputs_are_explained(wager, word, found):
    from wager.report import explain

    name, words = found
    assert explain(word).name == name
    assert words in explain(word).meaning
    assert wager("explain", word).exit_code == 0
