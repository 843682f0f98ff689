"""Slow twins of every measure, decision rule and interval, in exact arithmetic.

A twin is written from the formula of the paper with whole numbers, fractions and decimal numbers of
50 digits, and calls nothing of wager.  Each module has one topic: random cases, in which the inputs
are numbers that binary floating point represents exactly, and for each case pairs of what wager
says and what the twin says.  ``make test`` tries a few cases, ``make twins CASES=1000`` thousands.
"""
