"""Gauss and Radau collocation, with M + K or exact tangents."""
