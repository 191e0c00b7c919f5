"""The training step of bench/train-step/pytorch.py on a CUDA card, for bench/gpu.ts.

    python3 pytorch_cuda.py PROBLEM.safetensors SECONDS

Prints a JSON line a form: {"PyTorch eager": {"milliseconds": 1.2, "loss": 3.4}}, or {"why": "..."} in its place.
"""

import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "train-step"))

import torch  # noqa: E402

WARM_UP, LEAST, MOST = 2, 3, 50


def measure(trainer, seconds):
    """The median of steps 3, 4, ... in milliseconds, and the loss of step 3."""
    times, began = [], time.perf_counter()
    while len(times) < WARM_UP + MOST:
        start = time.perf_counter()
        trainer.step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
        if len(times) >= WARM_UP + LEAST and time.perf_counter() - began > seconds:
            break
    return {"milliseconds": 1000 * statistics.median(times[WARM_UP:]), "loss": trainer.losses[2]}


def main():
    if not torch.cuda.is_available():
        sys.exit("torch finds no CUDA card")
    import pytorch

    path, seconds = sys.argv[1], float(sys.argv[2])
    tensors, config = pytorch.read_safetensors(path)
    tensors = {name: tensor.cuda() for name, tensor in tensors.items()}
    torch.set_default_device("cuda")
    ready = []
    for form in pytorch.forms(config):
        trainer = pytorch.Trainer(tensors, config, form)
        ready.append((measure(trainer, seconds / 3), form))
    best, form = min(ready, key=lambda each: each[0]["milliseconds"])
    print(json.dumps({"PyTorch eager": best}), flush=True)
    try:
        trainer = pytorch.Trainer(tensors, config, form)
        trainer.loss = torch.compile(trainer.model.loss, dynamic=False)
        found = measure(trainer, seconds)
    except Exception as error:
        found = {"why": str(error).strip().split("\n")[0][:200]}
    print(json.dumps({"PyTorch compiled": found}), flush=True)


main()
