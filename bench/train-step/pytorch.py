"""The training step of `bench/train-step` in PyTorch on the CPU, as fast as PyTorch 1.13 was found to do it.

    /usr/bin/python3 pytorch.py PROBLEM.safetensors [--explore]

Speaks the line protocol of `child.ts`: after reading the problem it prints one JSON line

    {"firstLosses": [l1, l2, l3], "variants": ["1 thread", ...], "notes": "..."}

and then answers every line `VARIANT STEPS` on stdin with `{"seconds": [...]}`, one number a step. `--explore`
prints the fastest step of every variant it knows (a traced loss and AdamW's plain loop too) and ends.

Before the first timed step a short calibration picks, for each number of threads, the fastest way to do the step:
the chunk, the inverse and the convolution of DeltaNet, and the threads of torch and of OpenBLAS.
Install: see bench/README.md. Needs Python >= 3.9, numpy, torch >= 1.13.
"""

import argparse
import ctypes
import itertools
import json
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

EPSILON = 1e-6


def read_safetensors(path):
    """Name -> torch tensor, and the metadata. Source: the safetensors format (u64 length, JSON header, raw data)."""
    with open(path, "rb") as file:
        raw = file.read()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    metadata = header.pop("__metadata__")
    types = {"F32": np.float32, "I32": np.int32}
    tensors = {}
    for name, entry in header.items():
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        array = np.frombuffer(raw[start:end], dtype=types[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.copy())
    return tensors, json.loads(metadata["config"])


class OpenBlas:
    """The OpenBLAS that torch loaded. Debian's torch does not pass set_num_threads on to it, so we do."""

    def __init__(self):
        self.library = None
        with open("/proc/self/maps", encoding="utf8") as maps:
            paths = {line.split()[-1] for line in maps if "libopenblas" in line or "libblas" in line}
        for path in sorted(paths, key=lambda path: "openblas" not in path):
            library = ctypes.CDLL(path)
            if hasattr(library, "openblas_set_num_threads"):
                library.openblas_get_corename.restype = ctypes.c_char_p
                self.library = library
                return

    def threads(self, count):
        if self.library is not None:
            self.library.openblas_set_num_threads(count)

    def describe(self):
        if self.library is None:
            return "a BLAS other than OpenBLAS"
        return f"OpenBLAS kernel {self.library.openblas_get_corename().decode()}"


def rms_norm(x, scale):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * scale


def unit_norm(x):
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + EPSILON)


class MergedInverse(torch.autograd.Function):
    """R = (I + A)^-1 of strictly lower triangular A [N, C, C] by merging blocks; dA = -R' dR R' (masked by the caller)."""

    @staticmethod
    def forward(ctx, a, masks, identity):
        # The first merge (blocks of one) is R = I - A o mask_1.
        r = identity - a * masks[0]
        for mask in masks[1:]:
            r = torch.baddbmm(r, torch.bmm(r, a * mask), r, alpha=-1)
        ctx.save_for_backward(r)
        return r

    @staticmethod
    def backward(ctx, gradient):
        (r,) = ctx.saved_tensors
        transposed = r.transpose(1, 2)
        return torch.bmm(torch.bmm(transposed, gradient), transposed).neg_(), None, None


class DeltaRule:
    """Chunked delta rule: everything inside a chunk batched over all chunks, a loop over chunk states alone.

    A = tril(diag(b) K K', -1); R = (I + A)^-1; W = R diag(b) K; U = R diag(b) V;
    D = U - W S; O = Q S + tril(Q K') D; S <- S + K' D.
    """

    def __init__(self, chunk, inverse):
        self.chunk, self.inverse = chunk, inverse
        row, column = torch.arange(chunk)[:, None], torch.arange(chunk)[None, :]
        self.strict = (row > column).float()
        self.lower = (row >= column).float()
        self.identity = torch.eye(chunk)
        self.masks = []
        size = 1
        while size < chunk:
            same_pair = (row // (2 * size)) == (column // (2 * size))
            self.masks.append((same_pair & (row // size > column // size)).float())
            size *= 2

    def __call__(self, q, k, v, beta):
        """q, k, v: [B, h, T, dk]; beta: [B, h, T, 1]. Returns [B, h, T, dk]."""
        batch, heads, length, width = q.shape
        count = length // self.chunk
        flat = (batch * heads * count, self.chunk, width)
        q, k, v = q.reshape(flat), k.reshape(flat), v.reshape(flat)
        beta = beta.reshape(flat[0], self.chunk, 1)
        key_beta = k * beta
        transposed = k.transpose(1, 2)
        a = torch.bmm(key_beta, transposed) * self.strict
        right = torch.cat([key_beta, v * beta], -1)
        if self.inverse == "solve":
            solved = torch.linalg.solve_triangular(a, right, upper=False, unitriangular=True)
        else:
            solved = torch.bmm(MergedInverse.apply(a, self.masks, self.identity), right)
        by_chunk = (batch * heads, count, self.chunk)
        w, u = solved.view(*by_chunk, 2 * width).split(width, -1)
        w, u = w.unbind(1), u.unbind(1)
        keys = transposed.view(batch * heads, count, width, self.chunk).unbind(1)
        state = q.new_zeros(batch * heads, width, width)
        states, deltas = [], []
        for n in range(count):
            delta = torch.baddbmm(u[n], w[n], state, alpha=-1)
            states.append(state)
            deltas.append(delta)
            if n + 1 < count:
                state = torch.baddbmm(state, keys[n], delta)
        states = torch.stack(states, 1).view(-1, width, width)
        deltas = torch.stack(deltas, 1).view(flat)
        scores = torch.bmm(q, transposed) * self.lower
        out = torch.baddbmm(torch.bmm(q, states), scores, deltas)
        return out.view(batch, heads, length, width)


class Model:
    """The model of bench/README.md. Parameters are a dictionary of leaf tensors, in the problem's own layout
    except for the LSTM, where nn.LSTM wants [4d, d]."""

    def __init__(self, tensors, config, variant):
        self.config, self.variant = config, variant
        self.tokens, self.targets = tensors["tokens"].long(), tensors["targets"].long().view(-1)
        self.width = config["width"]
        self.head_width = self.width // config["heads"]
        self.length = config["length"]
        self.lstms = {}
        names = [name for name in tensors if name not in ("tokens", "targets")]
        self.parameters = {name: tensors[name].clone().requires_grad_() for name in names}
        if config["model"] == "lstm":
            for layer in range(config["layers"]):
                self.lstms[layer] = self.make_lstm(layer)
        if config["model"] == "transformer":
            half = self.head_width // 2
            frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
            angle = torch.arange(self.length, dtype=torch.float64)[:, None] * frequency
            self.cosine = torch.cat([angle.cos(), angle.cos()], -1).float()[None, None]
            # Half-split rotation: [x1, x2] -> [x1 cos - x2 sin, x2 cos + x1 sin], the sign folded into the sine.
            self.sine = torch.cat([-angle.sin(), angle.sin()], -1).float()[None, None]
            self.mask = torch.full((self.length, self.length), -math.inf).triu(1)[None]
        if config["model"] == "deltanet":
            self.rule = DeltaRule(variant["chunk"], variant["inverse"])

    def make_lstm(self, layer):
        prefix = f"layers.{layer}.mixer."
        lstm = torch.nn.LSTM(self.width, self.width, batch_first=True)
        with torch.no_grad():
            lstm.weight_ih_l0.copy_(self.parameters[prefix + "input"].t())
            lstm.weight_hh_l0.copy_(self.parameters[prefix + "hidden"].t())
            lstm.bias_ih_l0.copy_(self.parameters[prefix + "bias"])
            lstm.bias_hh_l0.zero_()
        # The model has one bias, nn.LSTM two: the second stays zero.
        lstm.bias_hh_l0.requires_grad_(False)
        self.parameters[prefix + "input"] = lstm.weight_ih_l0
        self.parameters[prefix + "hidden"] = lstm.weight_hh_l0
        self.parameters[prefix + "bias"] = lstm.bias_ih_l0
        return lstm

    def split(self, x, parts):
        """[B, T, parts * d] -> parts tensors [B, h, T, dk], without copying."""
        x = x.view(x.shape[0], self.length, parts, -1, self.head_width).permute(2, 0, 3, 1, 4)
        return x.unbind(0)

    def join(self, x):
        return x.transpose(1, 2).reshape(x.shape[0], self.length, self.width)

    def transformer(self, x, p, prefix):
        q, k, v = self.split(x @ p[prefix + "qkv"], 3)
        q, k = (y * self.cosine + y.roll(self.head_width // 2, -1) * self.sine for y in (q, k))
        flat = (-1, self.length, self.head_width)
        q, k, v = q.reshape(flat), k.reshape(flat), v.reshape(flat)
        scores = torch.baddbmm(self.mask, q, k.transpose(1, 2), alpha=self.head_width**-0.5)
        mixed = torch.bmm(scores.softmax(-1), v).view(x.shape[0], -1, self.length, self.head_width)
        return self.join(mixed) @ p[prefix + "out"]

    def convolve(self, x, taps):
        """y_t = sum_j taps[j] * x_{t-3+j}, x: [B, T, 3d], taps: [4, 3d]."""
        size = taps.shape[0]
        if self.variant["convolution"] == "conv1d":
            kernel = taps.t().unsqueeze(1)
            padded = F.pad(x.transpose(1, 2), (size - 1, 0))
            return F.conv1d(padded, kernel, groups=x.shape[-1]).transpose(1, 2)
        padded = F.pad(x, (0, 0, size - 1, 0))
        y = padded[:, : self.length] * taps[0]
        for j in range(1, size):
            y = torch.addcmul(y, padded[:, j : j + self.length], taps[j])
        return y

    def deltanet(self, x, p, prefix):
        mixed = F.silu(self.convolve(x @ p[prefix + "qkv"], p[prefix + "convolution"]))
        q, k, v = self.split(mixed.contiguous(), 3)
        q, k = unit_norm(q) * self.head_width**-0.5, unit_norm(k)
        beta = 2 * torch.sigmoid(x @ p[prefix + "beta"]).transpose(1, 2).unsqueeze(-1)
        out = rms_norm(self.rule(q, k, v, beta), p[prefix + "norm"])
        return self.join(out) @ p[prefix + "out"]

    def loss(self):
        p = self.parameters
        x = F.embedding(self.tokens, p["embedding"])
        for layer in range(self.config["layers"]):
            prefix = f"layers.{layer}."
            y = rms_norm(x, p[prefix + "mixerNorm"])
            if self.config["model"] == "lstm":
                x = x + self.lstms[layer](y)[0] @ p[prefix + "mixer.out"]
            elif self.config["model"] == "deltanet":
                x = x + self.deltanet(y, p, prefix + "mixer.")
            else:
                x = x + self.transformer(y, p, prefix + "mixer.")
            y = rms_norm(x, p[prefix + "feedNorm"])
            x = x + (F.silu(y @ p[prefix + "feed.gate"]) * (y @ p[prefix + "feed.up"])) @ p[prefix + "feed.down"]
        logits = rms_norm(x, p["norm"]) @ p["head"]
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), self.targets)


class Trainer:
    """One whole training step: forward, loss, backward, clipping to norm 1, AdamW."""

    def __init__(self, tensors, config, variant):
        self.variant = variant
        self.model = Model(tensors, config, variant)
        self.values = [value for value in self.model.parameters.values()]
        matrices = [value for value in self.values if value.dim() > 1]
        vectors = [value for value in self.values if value.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
            lr=1e-3,
            betas=(0.9, 0.95),
            eps=1e-8,
            foreach=variant["foreach"],
        )
        self.loss = self.model.loss
        if variant["trace"]:
            self.loss = self.traced()

    def traced(self):
        """The loss as a TorchScript graph whose inputs are the parameters, so that autograd still reaches them."""
        names = list(self.model.parameters)
        own = self.model.parameters

        def function(*values):
            self.model.parameters = dict(zip(names, values))
            return self.model.loss()

        graph = torch.jit.trace(function, tuple(own.values()), check_trace=False)
        self.model.parameters = own
        return lambda: graph(*own.values())

    def step(self):
        use_threads(self.variant)
        loss = self.loss()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.values, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def timed(self, steps):
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            seconds.append(time.perf_counter() - start)
        return seconds


blas = OpenBlas()


def use_threads(variant):
    torch.set_num_threads(variant["torchThreads"])
    blas.threads(variant["blasThreads"])


THREADS = {"1 thread": [(1, 1)], "2 threads": [(2, 2), (2, 1), (1, 2)]}


def algorithms(config, everything=False):
    """The ways of doing the step worth trying. What gained nothing in `--explore` is left out (bench/README.md)."""
    common = {"chunk": 0, "inverse": "", "convolution": "", "foreach": True, "trace": False}
    choices = [common]
    if config["model"] == "deltanet":
        kinds = [(32, "solve"), (64, "solve"), (32, "merge")]
        if everything:
            kinds = itertools.product([16, 32, 64, 128], ["solve", "merge"])
        choices = [
            {**common, "chunk": chunk, "inverse": inverse, "convolution": convolution}
            for (chunk, inverse), convolution in itertools.product(kinds, ["slices", "conv1d"])
            if config["length"] % chunk == 0
        ]
    if everything:
        choices += [{**choices[0], "trace": True}, {**choices[0], "foreach": False}]
    return choices


def with_threads(algorithm, threads):
    return {**algorithm, "torchThreads": threads[0], "blasThreads": threads[1]}


def label(variant):
    parts = [f"torch {variant['torchThreads']} x BLAS {variant['blasThreads']}"]
    if variant["chunk"]:
        parts.append(f"chunk {variant['chunk']}, {variant['inverse']}, {variant['convolution']}")
    if variant["trace"]:
        parts.append("traced")
    if not variant["foreach"]:
        parts.append("optimizer loop")
    return ", ".join(parts)


def ranked(tensors, config, variants, rounds):
    """[(fastest step in seconds, variant)], fastest first. Interleaved, and the minimum: least touched by other load.
    What takes three times as long as the best is not asked again."""
    trainers = [Trainer(tensors, config, variant) for variant in variants]
    for trainer in trainers:
        trainer.step()
    seconds = [trainer.timed(1)[0] for trainer in trainers]
    for _ in range(rounds - 1):
        for i, trainer in enumerate(trainers):
            if seconds[i] < 3 * min(seconds):
                seconds[i] = min(seconds[i], trainer.timed(1)[0])
    return sorted(zip(seconds, variants), key=lambda row: row[0])


def explore(tensors, config):
    for threads in THREADS.values():
        for pair in threads:
            variants = [with_threads(algorithm, pair) for algorithm in algorithms(config, everything=True)]
            for seconds, variant in ranked(tensors, config, variants, 7):
                print(f"{seconds * 1000:9.1f} ms  {label(variant)}", flush=True)


def calibrate(tensors, config):
    """The fastest variant for each number of threads: first the algorithm, on one thread, then the threads."""
    alone = [with_threads(algorithm, (1, 1)) for algorithm in algorithms(config)]
    best = [variant for _, variant in ranked(tensors, config, alone, 5)[:2]]
    chosen = {}
    for name, pairs in THREADS.items():
        variants = [with_threads(variant, pair) for variant in best for pair in pairs]
        chosen[name] = ranked(tensors, config, variants, 7)[0][1]
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("--explore", action="store_true")
    arguments = parser.parse_args()
    torch.set_flush_denormal(True)
    tensors, config = read_safetensors(arguments.problem)
    if arguments.explore:
        explore(tensors, config)
        return
    chosen = calibrate(tensors, config)
    trainers = [Trainer(tensors, config, variant) for variant in chosen.values()]
    first = [[trainer.step() for _ in range(3)] for trainer in trainers]
    notes = f"torch {torch.__version__}, {blas.describe()}; " + "; ".join(label(v) for v in chosen.values())
    print(json.dumps({"firstLosses": first[0], "variants": list(chosen), "notes": notes}), flush=True)
    for line in sys.stdin:
        variant, steps = line.split()
        print(json.dumps({"seconds": trainers[int(variant)].timed(int(steps))}), flush=True)


if __name__ == "__main__":
    main()
