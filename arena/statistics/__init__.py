"""The formulas: what pairs, ratings and sequential tests say, from counts alone."""
