"""Dual numbers: values with exact derivatives along 4 or 8 directions at once, for every routine of the single source."""
