"""What the commands gather and print, one file a command. `main` has their options."""
