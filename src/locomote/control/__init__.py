"""Control: quadratic programs, whole-body control with contacts."""
