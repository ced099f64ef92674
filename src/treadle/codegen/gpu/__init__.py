"""What CUDA C and WGSL have in common: the look of C, and chains cut into tiles."""
