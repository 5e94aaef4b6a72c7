"""The settings of each part: what they are, how flags and file give them, and the tables of the docs."""
