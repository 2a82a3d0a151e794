"""The command line of a benchmark: its help, and the parameters of its function."""

import argparse
import sys
from inspect import Parameter, signature
from pathlib import Path


class Parser(argparse.ArgumentParser):
    """Shows the docstring of a module as help, and refuses an argument in one line."""

    def __init__(self, module):
        name = Path(module.__file__).stem
        super().__init__(
            prog=f"python -m benchmarks{'' if name == '__main__' else f'.{name}'}",
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message):
        self.exit(2, f"{self.prog}: error: {message}\n")


def run(function):
    """Call a function with what the command line gives, and exit with what it returns.

    Its parameters may be given in their order, those behind a star as options; each has the type of
    its default, and what is False is a flag.
    """
    parser = Parser(sys.modules[function.__module__])
    for name, parameter in signature(function).parameters.items():
        default = parameter.default
        if default is False:
            parser.add_argument(f"--{name}", action="store_true")
        elif parameter.kind is Parameter.KEYWORD_ONLY:
            parser.add_argument(f"--{name}", type=type(default), default=default, metavar="N")
        elif isinstance(default, tuple):
            kind = type(default[0])
            parser.add_argument(name, type=kind, nargs="*", default=default, metavar=name.upper())
        else:
            parser.add_argument(
                name, type=type(default), nargs="?", default=default, metavar=name.upper()
            )
    sys.exit(function(**vars(parser.parse_args())))
