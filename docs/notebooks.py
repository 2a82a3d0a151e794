"""Run the notebooks, and update the figures in their text."""

import base64
import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

from cribev.system.processes import cpu_count
from docs.figures import filled, sourced

FOLDER = Path(__file__).parent.parent / "notebooks"


def remake(*, check):
    """Run all notebooks in place; or, to check, only list text that would change."""
    files = sorted(FOLDER.rglob("*.ipynb"))
    stale = []
    with ThreadPoolExecutor(cpu_count()) as pool:  # each has a process of its own
        notebooks = [nbformat.read(file, as_version=4) for file in files]
        folders = [file.parent for file in files]
        ran = pool.map(executed, deepcopy(notebooks), folders)
        for file, before, after in zip(files, notebooks, ran, strict=True):
            print(file.name, file=sys.stderr, flush=True)
            for old, new in zip(before.cells, after.cells, strict=True):
                if old.source != new.source:
                    stale.append(f"{file.name}: {new.source}")
            if not check:
                nbformat.write(after, file)
    return stale


def executed(notebook, folder):
    """Run a notebook and return it with its outputs and the figures in its text."""
    run = deepcopy(notebook)
    for cell in run.cells:
        if cell.cell_type == "markdown":  # its figures, as code that prints them
            fields = ", ".join(
                f"{field!r}: f'''{{{field}}}'''" for field, _ in sourced(cell.source)
            )
            cell.cell_type = "code"
            cell.source = f"import json as _json\nprint(_json.dumps({{{fields}}}))"
            cell.update(outputs=[], execution_count=None)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(run, record_timing=False, resources=where).execute()
    count = 0
    for cell, ran in zip(notebook.cells, run.cells, strict=True):
        if cell.cell_type == "markdown":
            cell.source = filled(cell.source, json.loads(ran.outputs[0].text))
        else:
            count += 1
            cell.execution_count = count
            cell.outputs = ran.outputs
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
                if "image/png" in output.get("data", {}):
                    output.data["image/png"] = in_few_colours(output.data["image/png"])
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
    return notebook


def in_few_colours(picture):
    """Reduce a picture, PNG in base64, to 256 colours: a third of the size."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    small = io.BytesIO()
    drawn.quantize(256).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()
