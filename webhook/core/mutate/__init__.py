"""What admission changes in an object. Every rule takes a document and returns a new one; none edits its input."""
