"""Arena: the referee of leagues between game-playing programs, from league file to tables."""
