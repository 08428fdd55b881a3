"""The parts of Monte Carlo tree search: the tree, what is done in it, and several of them together."""
