"""Models of transformers and flash-linear-attention, by their own classes.

    python3 interop.py < JOBS.json

A job is {"folder": F, "class": C, "texts": [...]} with, for a checkpoint that is to be made first, "config" and "save", the arguments of
save_pretrained. Its weights are then the initial ones plus 0.15 N(0, 1). The class loads the folder in float32, and
F.expected.safetensors gets the tokens [2, 23] and its logits. Each job answers one JSON line: the package of the class, its
version, the keys that were missing or unexpected, and for texts their padded ids, what was generated and the largest difference of
the logits of F-run/model.onnx; or what it raised.
"""

import importlib.metadata
import json
import os
import sys

os.environ["TRITON_INTERPRET"] = "1"  # fla's kernels on a CPU; read on import

import numpy  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from triton.runtime.autotuner import Autotuner  # noqa: E402

Autotuner._bench = lambda *_, **__: 0  # without a GPU there is nothing to measure: the first configuration is used

PACKAGES = {"fla": "flash-linear-attention", "transformers": "transformers"}


def class_named(name):
    if hasattr(transformers, name):
        return getattr(transformers, name)
    import fla  # registers its classes, which replaces transformers' own Mamba

    return getattr(fla.models, name)


@torch.no_grad()
def make(folder, kind, config, save):
    torch.manual_seed(1)
    model = kind(kind.config_class(**config))
    for weight in model.parameters():
        weight += 0.15 * torch.randn_like(weight)
    dtype = getattr(torch, save.pop("dtype", "float32"))
    model.to(dtype).save_pretrained(folder, **save)


@torch.no_grad()
def compute(folder, kind):
    model, info = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    assert isinstance(model, kind), type(model)
    torch.manual_seed(2)
    tokens = torch.randint(0, model.config.vocab_size, (2, 23))
    logits = model.eval()(tokens, use_cache=False).logits
    save_file({"tokens": tokens.int(), "logits": logits.contiguous()}, f"{folder}.expected.safetensors")
    return model, {key: sorted(info[key]) for key in ("missing_keys", "unexpected_keys")}


@torch.no_grad()
def read_texts(folder, model, texts):
    # AutoTokenizer splits texts as Qwen2 does for its model type, whatever the folder says
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    padded = tokenizer(texts, padding=True, return_tensors="pt")
    decoded = [tokenizer.decode(ids[mask == 1]) for ids, mask in zip(padded.input_ids, padded.attention_mask)]
    started = padded.input_ids[:1, :5]
    cached = "PaTH" not in type(model).__name__  # whose steps need a compiler
    generated = model.generate(started, max_new_tokens=20, do_sample=False, use_cache=cached)
    session = onnxruntime.InferenceSession(f"{folder}-run/model.onnx")
    expected = load_file(f"{folder}.expected.safetensors")
    (logits,) = session.run(["logits"], {"tokens": expected["tokens"]})
    return {
        "ids": padded.input_ids.tolist(),
        "decoded": decoded,
        "generated": generated[0, 5:].tolist(),
        "onnx": float(numpy.abs(logits - expected["logits"]).max()),
    }


for job in json.load(sys.stdin):
    try:
        kind = class_named(job["class"])
        if "config" in job:
            make(job["folder"], kind, job["config"], job.get("save", {}))
        package = PACKAGES[kind.__module__.split(".")[0]]
        model, keys = compute(job["folder"], kind)
        answer = {"package": package, "version": importlib.metadata.version(package), **keys}
        if "texts" in job:
            answer["texts"] = read_texts(job["folder"], model, job["texts"])
    except Exception as error:  # one job that fails does not end the others
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"folder": job["folder"], **answer}), flush=True)
