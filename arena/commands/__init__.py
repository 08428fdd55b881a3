"""The commands that `arena.cli` puts together, and how their words are read."""
