"""Playing a league: the supervisor, its referees, the agents' own processes, and the clock."""
