"""Model files: text in, Description or Model out. `load` reads any of them; `urdf`, `mjcf` and `dh` have one reader each."""
