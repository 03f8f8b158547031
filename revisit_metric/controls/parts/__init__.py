"""Things that layouts are furnished with: each function adds one or more named parts to a builder."""
