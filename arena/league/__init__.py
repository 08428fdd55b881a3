"""The league file, and what follows from it: the games, their openings, and when it is enough."""
