"""What the machine has and does: cores, and processes as Linux tells of them."""
