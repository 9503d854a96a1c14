"""Is a run right? Checks that do not use the equations that made it, one file a question."""
