"""The command line as ``python -m wager``, where the script ``wager`` is not on the path."""

from wager.cli import main

if __name__ == "__main__":
    main()
