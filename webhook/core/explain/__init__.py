"""What there is of each class, and why a pod waits or has what it has. Pure, on plain data of one moment."""
