"""Run notebooks in place: ``python notebooks/execute.py [FILE …]``; without files, all of them.

Their pictures are kept in 256 colours, a third of the size.
"""

import base64
import io
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).parent


def execute(path):
    """Run a notebook in place."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, record_timing=False, resources={"metadata": {"path": str(HERE)}}
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = in_few_colours(output.data["image/png"])
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
    nbformat.write(notebook, path)


def in_few_colours(picture):
    """Reduce a picture, PNG in base64, to 256 colours."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    small = io.BytesIO()
    drawn.quantize(256).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:] or sorted(HERE.glob("*.ipynb"))):
        print(file.name, flush=True)
        execute(file)
