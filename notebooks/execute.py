"""Run notebooks in place: ``python notebooks/execute.py [--check] [FILE …]``, by default all.

A figure in the text is made by the code above it. In the text it stands after the expression it
comes from, as in ``<!-- lost:.2f -->0.42<!-- -->``, of which a reader sees 0.42 alone. ``--check``
changes nothing, and ends with status 1 if a figure in the text is not what the code says now.

Pictures are kept in 256 colours, a third of the size.
"""

import argparse
import base64
import io
import json
import re
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).parent
FIGURE = re.compile(r"(<!-- (.+?) -->)(.*?)(<!-- -->)", re.DOTALL)


def executed(notebook):
    """Return a notebook as it is when it has run from top to bottom."""
    run = deepcopy(notebook)
    for cell in run.cells:
        if cell.cell_type == "markdown":  # its figures, as code that writes them out
            fields = [f"f'''{{{field}}}'''" for _, field, _, _ in FIGURE.findall(cell.source)]
            cell.cell_type = "code"
            cell.source = f"import json as _json\nprint(_json.dumps([{', '.join(fields)}]))"
            cell.update(outputs=[], execution_count=None)
    NotebookClient(run, record_timing=False, resources={"metadata": {"path": str(HERE)}}).execute()
    count = 0
    for cell, ran in zip(notebook.cells, run.cells, strict=True):
        if cell.cell_type == "markdown":
            figures = iter(json.loads(ran.outputs[0].text))
            cell.source = FIGURE.sub(lambda found: found[1] + next(figures) + found[4], cell.source)  # noqa: B023
            continue
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
    """Reduce a picture, PNG in base64, to 256 colours."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    small = io.BytesIO()
    drawn.quantize(256).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def texts(notebook):
    """Return what the cells say, outputs aside."""
    return [cell.source for cell in notebook.cells]


def main(arguments):
    """Run the notebooks that are asked for, and write them or check them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    asked = parser.parse_args(arguments)
    stale = 0
    for file in asked.files or sorted(HERE.glob("*.ipynb")):
        before = nbformat.read(file, as_version=4)
        after = executed(deepcopy(before))
        for old, new in zip(texts(before), texts(after), strict=True):
            if old != new:
                stale += 1
                print(f"{file.name}: {new}" if asked.check else f"{file.name}: text has changed")
        if not asked.check:
            nbformat.write(after, file)
        print(file.name, flush=True)
    return 1 if asked.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
