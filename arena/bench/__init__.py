"""Measurements of Arena itself, for `arena bench`."""
