"""What the commands gather and print, one file a command. `cli.py` has their options."""
