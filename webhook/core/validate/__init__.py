"""What admission refuses or warns of, judged on the final state of an object. Nothing here changes it."""
