"""What a run says, and how people and other programs see it."""
