"""Evaluators, one file each: which pairs they compare, and what they make of the values."""
