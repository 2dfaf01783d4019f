"""`python -m graphpool`: the command `graphpool`, where it is not on the path."""

from graphpool.cli.main import run

if __name__ == "__main__":
    run()
