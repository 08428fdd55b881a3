"""The parts of depth-first search: negamax with its table and orderings, proofs, traces."""
