"""Forces of fluids on bodies: drag, added mass, buoyancy, elongated bodies, panels, wings. One file a law."""
