"""`python -m arena`, the same as the `arena` command.

Not in `arena.cli`, so that Ctrl-C is understood while that is still being imported.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command."""
    try:
        from arena.cli import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("arena: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
