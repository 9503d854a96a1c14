"""Kinds of drives, one file each: the class and, as `motion`, its law for compiled code. `table` finds them here."""
