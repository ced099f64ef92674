"""The typed intermediate representation and its definition."""
