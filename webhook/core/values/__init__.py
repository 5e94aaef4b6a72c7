"""Names, quantities, sizes, classes, devices and what a pod asks for: values and how they are read."""
