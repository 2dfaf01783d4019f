"""Where graphs come from: sets by name, files, other libraries, and sets made here."""
