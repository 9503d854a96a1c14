"""`python -m locomote` is the command `locomote`."""

from locomote.cli.main import main

if __name__ == "__main__":
    main()
