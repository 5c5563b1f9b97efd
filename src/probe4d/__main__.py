"""`python -m probe4d` is the same as `probe4d`."""

from probe4d.cli import main

if __name__ == "__main__":
    main()
