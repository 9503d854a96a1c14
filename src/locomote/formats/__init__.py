"""Model files: text in, Description or Model out. A format is a folder; `registry` finds them, `load` reads them."""
