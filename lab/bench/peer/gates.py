"""Runs gates of Bernstein on the folder that it is started in, and prints each one's status as JSON.

Usage: python gates.py CONFIG, of which CONFIG is JSON: {"steps": [names], "commands": {name: line},
"settings": {fields of QualityGatesConfig}}.
"""

import asyncio
import json
import sys
from pathlib import Path

from bernstein.core.quality.gate_pipeline import GatePipelineStep
from bernstein.core.quality.gate_runner import GateRunner
from bernstein.core.quality.quality_gates import QualityGatesConfig
from bernstein.core.tasks.models import Task

asked = json.loads(sys.argv[1])
here = Path.cwd()
steps = [
    GatePipelineStep(name=name, required=True, command_override=asked["commands"].get(name))
    for name in asked["steps"]
]
config = QualityGatesConfig(pipeline=steps, base_ref="main", timeout_s=900, **asked["settings"])
task = Task(id="bench", title="bench", description="bench", role="backend")
report = asyncio.run(GateRunner(config, here, base_ref="main").run_all(task, here))
print(json.dumps({each.name: each.status for each in report.results}))
