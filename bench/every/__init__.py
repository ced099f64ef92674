"""Every named kernel beside the libraries that people would use in its place."""
