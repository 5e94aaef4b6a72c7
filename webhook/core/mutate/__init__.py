"""What admission changes in an object. Rules return new documents and never edit the one that came in."""
