"""What CUDA C and WGSL share: the look of C, and reductions, rows, scans and chains."""
