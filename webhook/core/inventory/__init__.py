"""What a node shows of its devices: the label and the capacity per class. Pure, one node at a time."""
