"""The command line. Modules here import nothing heavy at the top: `--help` must answer at once."""
