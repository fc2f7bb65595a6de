"""The main job on the bundled sample: seconds by stage and peak memory, with two workers."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path


def main() -> None:
    """Print a table of the stages."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [sys.executable, "-m", "factchain", "build", "--out", str(out), "--quiet"]
        start = time.perf_counter()
        subprocess.run([*command, "--workers", "2"], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        stages = json.loads((out / "manifest.json").read_text())["stages"]
    print("| stage | seconds |\n| --- | --- |")
    for name, stage in stages.items():
        begin, end = (datetime.fromisoformat(stage[key]) for key in ("start", "end"))
        print(f"| {name} | {(end - begin).seconds} |")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"| all, start included | {seconds:.0f} |\n\nPeak memory of one process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
