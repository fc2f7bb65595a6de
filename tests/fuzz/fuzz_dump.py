"""Fuzzing the dump reader with atheris: `python tests/fuzz/fuzz_dump.py -max_total_time=60`.

Whatever a line holds, it gives an entity that a JSON parser sees too, or a reject; whatever a
file holds, it gives chunks or an InputError.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["factchain.kg"]):
    from dump_checks import ENDINGS, SEEDS, check_file, check_lines


def one_input(data: bytes) -> None:
    """The first byte chooses what is fuzzed."""
    if not data:
        return
    which = data[0] % (len(ENDINGS) + 1)
    if which == len(ENDINGS):
        check_lines(data[1:])
    else:
        check_file(data[1:], ENDINGS[which])


def main() -> None:
    """Run until stopped, or as the options of libFuzzer say."""
    sys.set_int_max_str_digits(0)
    corpus = Path(tempfile.mkdtemp())
    for number, seed in enumerate(SEEDS):
        (corpus / f"line{number}").write_bytes(bytes([len(ENDINGS)]) + seed)
        (corpus / f"file{number}").write_bytes(b"\0[\n" + seed + b"\n]\n")
    atheris.Setup([*sys.argv, str(corpus)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
