"""Pair scores, one file a family."""
