"""What is wrong with a cluster, found in what was read of it: one file per rule, each of pure functions."""
