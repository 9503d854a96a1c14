"""How one source lives several lives: compiled, on lanes, on arrays, on symbols."""
