"""Ready tasks, a file each."""
