"""Python functions to kernel IR: the five forms, their syntax, types and shape rules."""
