"""The training step of `bench/train-step` in PyTorch on the CPU, as fast as PyTorch was found to do it.

    python3 pytorch.py PROBLEM.safetensors [--threads 2] [--explore]

Speaks the line protocol of `child.ts`: after reading the problem it prints one JSON line

    {"firstLosses": [l1, l2, l3], "variants": ["eager", "compiled"], "notes": "..."}

and then answers every line `VARIANT STEPS` on stdin with `{"seconds": [...]}`, one number a step. `--explore`
prints the fastest step of every form it knows and ends.

The loss is written in several forms (chunks, inverse, convolution, attention). A short calibration before the first timed
step picks the fastest eager form, and the fastest compiled one. bench/README.md: the models, the installation, what was tried.
"""

import argparse
import importlib.util
import itertools
import json
import math
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

EPSILON = 1e-6
STATE_SIZE = 16  # N of mamba2


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


def rms_norm(x, scale):
    return F.rms_norm(x, scale.shape, scale, EPSILON)


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
        return -torch.bmm(torch.bmm(transposed, gradient), transposed), None, None


class DeltaRule:
    """Chunked delta rule: everything inside a chunk batched over all chunks, a loop over chunk states alone.

    A = tril(diag(b) K K', -1); R = (I + A)^-1; W = R diag(b) K; U = R diag(b) V;
    D = U - W S; O = Q S + tril(Q K') D; S <- S + K' D.

    With a decay g = cumsum(log a) in a chunk: A and Q K' times exp(g_i - g_j), K in W and Q in Q S times exp(g),
    and S <- exp(g_C) S + (K exp(g_C - g))' D.
    """

    def __init__(self, chunk, inverse):
        self.chunk, self.inverse = chunk, inverse
        row, column = torch.arange(chunk)[:, None], torch.arange(chunk)[None, :]
        self.strict = (row > column).float()
        self.lower = (row >= column).float()
        self.above = row < column
        self.identity = torch.eye(chunk)
        self.masks = []
        size = 1
        while size < chunk:
            same_pair = (row // (2 * size)) == (column // (2 * size))
            self.masks.append((same_pair & (row // size > column // size)).float())
            size *= 2

    def __call__(self, q, k, v, beta, log_decay=None):
        """q, k, v: [B, h, T, dk]; beta, log_decay: [B, h, T]. Returns [B, h, T, dk]."""
        batch, heads, length, width = q.shape
        count = length // self.chunk
        flat = (batch * heads * count, self.chunk, width)
        q, k, v = q.reshape(flat), k.reshape(flat), v.reshape(flat)
        beta = beta.reshape(flat[0], self.chunk, 1)
        key_beta = k * beta
        transposed = k.transpose(1, 2)
        strict, lower, written, read, last = self.strict, self.lower, key_beta, q, None
        kept = transposed
        if log_decay is not None:
            g = log_decay.reshape(flat[0], self.chunk).cumsum(-1)
            lower = (g[:, :, None] - g[:, None, :]).masked_fill(self.above, -math.inf).exp()
            strict = lower * self.strict
            written, read = key_beta * g.exp()[:, :, None], q * g.exp()[:, :, None]
            kept = transposed * (g[:, -1:] - g).exp()[:, None, :]
            last = g[:, -1].exp().view(batch * heads, count, 1, 1).unbind(1)
        a = torch.bmm(key_beta, transposed) * strict
        right = torch.cat([written, v * beta], -1)
        if self.inverse == "solve":
            solved = torch.linalg.solve_triangular(a, right, upper=False, unitriangular=True)
        else:
            solved = torch.bmm(MergedInverse.apply(a, self.masks, self.identity), right)
        by_chunk = (batch * heads, count, self.chunk)
        w, u = solved.view(*by_chunk, 2 * width).split(width, -1)
        w, u = w.unbind(1), u.unbind(1)
        kept = kept.view(batch * heads, count, width, self.chunk).unbind(1)
        state = q.new_zeros(batch * heads, width, width)
        states, deltas = [], []
        for n in range(count):
            delta = torch.baddbmm(u[n], w[n], state, alpha=-1)
            states.append(state)
            deltas.append(delta)
            if n + 1 < count:
                state = torch.baddbmm(state if last is None else state * last[n], kept[n], delta)
        states = torch.stack(states, 1).view(-1, width, width)
        deltas = torch.stack(deltas, 1).view(flat)
        scores = torch.bmm(q, transposed) * lower
        out = torch.baddbmm(torch.bmm(read, states), scores, deltas)
        return out.view(batch, heads, length, width)


def state_space(u, write, read, step, log_decay, chunk):
    """Mamba-2's state space duality in chunks, states passed on by one product with the decays between chunks.

    u: [B, T, h, P]; write, read: [B, T, N], shared by the heads; step, log_decay: [B, T, h]. Returns [B, T, h, P].
    Source: ssd_minimal.py of github.com/state-spaces/mamba.
    """
    batch, length, heads, width = u.shape
    count = length // chunk
    u = (u * step[..., None]).view(batch, count, chunk, heads, width).transpose(2, 3)  # [B, n, h, C, P]
    g = log_decay.view(batch, count, chunk, heads).transpose(2, 3).cumsum(-1)  # [B, n, h, C]
    write, read = (y.view(batch, count, 1, chunk, -1) for y in (write, read))  # [B, n, 1, C, N]
    scores = read @ write.transpose(-1, -2) * segment_decay(g)
    kept = write.transpose(-1, -2) * (g[..., -1:] - g).exp()[..., None, :]  # [B, n, h, N, C]
    states = (kept @ u).transpose(1, 2)  # [B, h, n, N, P]
    # Chunk n begins with the sum over m < n of exp(total_{m+1} + ... + total_{n-1}) state_m.
    total = F.pad(g[..., -1].transpose(1, 2), (1, 0)).cumsum(-1)  # [B, h, n + 1]
    decay = segment_decay(total)[..., :-1, 1:]
    first = decay @ states.reshape(batch, heads, count, -1)
    first = first.view(states.shape).transpose(1, 2)  # [B, n, h, N, P]
    out = scores @ u + (read * g.exp()[..., None]) @ first
    return out.transpose(2, 3).reshape(batch, length, heads, width)


def segment_decay(g):
    """[..., C] -> exp(g_i - g_j) for i >= j, else 0, [..., C, C]."""
    size = g.shape[-1]
    above = torch.ones(size, size, dtype=torch.bool).triu(1)
    return (g[..., :, None] - g[..., None, :]).masked_fill(above, -math.inf).exp()


def fla_naive(family, function):
    """A function of fla's reference code in plain PyTorch, loaded without the package, which needs a GPU's compiler."""
    folder = os.path.dirname(importlib.util.find_spec("fla").origin)
    path = os.path.join(folder, "ops", family, "naive.py")
    spec = importlib.util.spec_from_file_location(f"fla_naive_{family}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, function)


class Model:
    """The model of bench/README.md. Parameters are a dictionary of leaf tensors, in the problem's own layout
    except for the LSTM, where nn.LSTM wants [4d, d]."""

    def __init__(self, tensors, config, form):
        self.config, self.form = config, form
        self.tokens, self.targets = tensors["tokens"].long(), tensors["targets"].long().view(-1)
        self.width = config["width"]
        self.heads = config["heads"]
        self.head_width = self.width // self.heads
        self.length = config["length"]
        self.lstms = {}
        names = [name for name in tensors if name not in ("tokens", "targets")]
        self.parameters = {name: tensors[name].clone().requires_grad_() for name in names}
        self.mixer = getattr(self, config["model"].replace("-", "_"))
        if config["model"] == "lstm":
            self.lstms = {layer: self.make_lstm(layer) for layer in range(config["layers"])}
        if config["model"] == "transformer":
            half = self.head_width // 2
            frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
            angle = torch.arange(self.length, dtype=torch.float64)[:, None] * frequency
            self.cosine = torch.cat([angle.cos(), angle.cos()], -1).float()[None, None]
            # Half-split rotation: [x1, x2] -> [x1 cos - x2 sin, x2 cos + x1 sin], the sign folded into the sine.
            self.sine = torch.cat([-angle.sin(), angle.sin()], -1).float()[None, None]
        if form.get("inverse"):
            self.rule = DeltaRule(form["chunk"], form["inverse"])

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

    def transformer(self, x, p, layer):
        q, k, v = self.split(x @ p["qkv"], 3)
        q, k = (y * self.cosine + y.roll(self.head_width // 2, -1) * self.sine for y in (q, k))
        return self.join(F.scaled_dot_product_attention(q, k, v, is_causal=True)) @ p["out"]

    def convolve(self, x, taps):
        """y_t = sum_j taps[j] * x_{t-3+j}, x: [B, T, n], taps: [4, n]."""
        size = taps.shape[0]
        if self.form["convolution"] == "conv1d":
            kernel = taps.t().unsqueeze(1)
            padded = F.pad(x.transpose(1, 2), (size - 1, 0))
            return F.conv1d(padded, kernel, groups=x.shape[-1]).transpose(1, 2)
        padded = F.pad(x, (0, 0, size - 1, 0))
        y = padded[:, : self.length] * taps[0]
        for j in range(1, size):
            y = torch.addcmul(y, padded[:, j : j + self.length], taps[j])
        return y

    def delta(self, x, p, log_decay=None):
        """The (gated) delta rule's outputs after their norm, [B, T, d]. log_decay: [B, h, T]."""
        mixed = F.silu(self.convolve(x @ p["qkv"], p["convolution"]))
        q, k, v = self.split(mixed.contiguous(), 3)
        q, k = unit_norm(q), unit_norm(k)
        beta = 2 * torch.sigmoid(x @ p["beta"]).transpose(1, 2)
        if "fla" not in self.form:
            out = self.rule(q * self.head_width**-0.5, k, v, beta, log_decay)
        elif log_decay is None:
            out, _ = self.form["fla"](q, k, v, beta)
        else:
            given = [y.transpose(1, 2) for y in (q, k, v, log_decay, beta)]
            out = self.form["fla"](*given)[0].transpose(1, 2)
        return self.join(rms_norm(out, p["norm"]))

    def deltanet(self, x, p, layer):
        return self.delta(x, p) @ p["out"]

    def gated_deltanet(self, x, p, layer):
        step = F.softplus(x @ p["decay.weight"] + p["decay.bias"])
        log_decay = -(step * p["decay.logRate"].exp()).transpose(1, 2)
        return (self.delta(x, p, log_decay) * F.silu(x @ p["gate"])) @ p["out"]

    def mamba2(self, x, p, layer):
        channels = 2 * self.width
        sizes = (channels, channels + 2 * STATE_SIZE, self.heads)
        gate, inputs, steps = (x @ p["input"]).split(sizes, -1)
        mixed = F.silu(self.convolve(inputs, p["convolution"]) + p["convolutionBias"])
        u, write, read = mixed.split((channels, STATE_SIZE, STATE_SIZE), -1)
        u = u.reshape(*u.shape[:2], self.heads, -1)
        step = F.softplus(steps + p["stepBias"])
        log_decay = -step * p["logRate"].exp()
        if "fla" in self.form:
            shared = [y[:, :, None].expand(-1, -1, self.heads, -1) for y in (read, write)]
            q, k = shared[0], shared[1] * step[..., None]
            out, _ = self.form["fla"](q, k, u, log_decay, scale=1.0)
        else:
            out = state_space(u, write, read, step, log_decay, self.form["chunk"])
        y = (out + u * p["skip"][:, None]).reshape(x.shape[0], self.length, channels)
        return rms_norm(y * F.silu(gate), p["norm"]) @ p["out"]

    def lstm(self, x, p, layer):
        return self.lstms[layer](x)[0] @ p["out"]

    def loss(self):
        p = self.parameters
        x = F.embedding(self.tokens, p["embedding"])
        for layer in range(self.config["layers"]):
            prefix = f"layers.{layer}."
            own = {name[len(prefix) + 6 :]: p[name] for name in p if name.startswith(prefix + "mixer.")}
            x = x + self.mixer(rms_norm(x, p[prefix + "mixerNorm"]), own, layer)
            y = rms_norm(x, p[prefix + "feedNorm"])
            x = x + (F.silu(y @ p[prefix + "feed.gate"]) * (y @ p[prefix + "feed.up"])) @ p[prefix + "feed.down"]
        logits = rms_norm(x, p["norm"]) @ p["head"]
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), self.targets)


class Trainer:
    """One whole training step: forward, loss, backward, clipping to norm 1, AdamW."""

    def __init__(self, tensors, config, form, compiled=False):
        self.model = Model(tensors, config, form)
        self.values = list(self.model.parameters.values())
        matrices = [value for value in self.values if value.dim() > 1]
        vectors = [value for value in self.values if value.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
            lr=1e-3,
            betas=(0.9, 0.95),
            eps=1e-8,
            fused=True,
        )
        self.loss = self.model.loss
        if compiled:
            # The wrapper in C++ saves the time that Python takes between kernels.
            self.loss = torch.compile(self.loss, dynamic=False, options={"cpp_wrapper": True})
        self.losses = []

    def step(self):
        loss = self.loss()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.values, 1.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.losses.append(loss.item())

    def timed(self, steps):
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            seconds.append(time.perf_counter() - start)
        return seconds


FLA = {
    "deltanet": ("delta_rule", "delta_rule_chunkwise"),
    "gated-deltanet": ("gated_delta_rule", "naive_chunk_gated_delta_rule"),
    "mamba2": ("simple_gla", "naive_chunk_simple_gla"),
}


def forms(config, compiled=False, everything=False):
    """The forms of the loss worth trying. What gained nothing in `--explore` is left out (bench/README.md)."""
    model, length = config["model"], config["length"]
    if model not in FLA:
        return [{}]
    chunks, inverses, convolutions = (16, 32), ("merge",), ("slices",)
    if everything:
        chunks, inverses, convolutions = (16, 32, 64, 128), ("merge", "solve"), ("slices", "conv1d")
    if model == "mamba2":
        chunks, inverses = chunks[1:] if everything else (32, 64), ("",)
    if compiled and not everything:
        chunks = chunks[:1]
    chosen = [
        {"chunk": chunk, "inverse": inverse, "convolution": convolution}
        for chunk, inverse, convolution in itertools.product(chunks, inverses, convolutions)
        if length % chunk == 0
    ]
    if not compiled and importlib.util.find_spec("fla"):
        chosen.append({"fla": fla_naive(*FLA[model]), "convolution": "slices"})
    return chosen


def label(form):
    words = [key if key == "fla" else f"{key} {value}" for key, value in form.items() if value]
    return ", ".join(words) or "one form"


def ranked(tensors, config, choices, rounds, compiled):
    """[(fastest step in seconds, form, trainer)], fastest first. Interleaved, and the minimum: least touched by other
    load. What takes twice as long as the best is not asked again."""
    trainers = [Trainer(tensors, config, form, compiled) for form in choices]
    for trainer in trainers:
        trainer.step()
    seconds = [trainer.timed(1)[0] for trainer in trainers]
    for _ in range(rounds - 1):
        for i, trainer in enumerate(trainers):
            if seconds[i] < 2 * min(seconds):
                seconds[i] = min(seconds[i], trainer.timed(1)[0])
    return sorted(zip(seconds, choices, trainers), key=lambda row: row[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--explore", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    tensors, config = read_safetensors(arguments.problem)
    if arguments.explore:
        for compiled in (False, True):
            for seconds, form, _ in ranked(tensors, config, forms(config, compiled, everything=True), 7, compiled):
                print(f"{seconds * 1000:9.1f} ms  {'compiled' if compiled else 'eager'}, {label(form)}", flush=True)
        return
    trainers, notes = {}, []
    for name, compiled in (("eager", False), ("compiled", True)):
        start = time.perf_counter()
        try:
            _, form, trainers[name] = ranked(tensors, config, forms(config, compiled), 5, compiled)[0]
            notes.append(f"{name}: {label(form)}, ready in {time.perf_counter() - start:.0f} s")
        except Exception as error:  # torch.compile needs a C++ compiler and Python's headers
            if not compiled:
                raise
            notes.append(f"torch.compile failed: {str(error).splitlines()[0][:200]}")
    notes = f"torch {torch.__version__}, {arguments.threads} threads; " + "; ".join(notes)
    first, *others = (trainer.losses[0] for trainer in trainers.values())
    if not all(math.isclose(first, other, rel_tol=1e-4) for other in others):
        sys.exit(f"The first losses of {list(trainers)} differ: {first}, {others}")
    print(json.dumps({"firstLosses": trainers["eager"].losses[:3], "variants": list(trainers), "notes": notes}), flush=True)
    variants = list(trainers.values())
    for line in sys.stdin:
        variant, steps = line.split()
        print(json.dumps({"seconds": variants[int(variant)].timed(int(steps))}), flush=True)


if __name__ == "__main__":
    main()
