"""Trains an Elman network in float64 with PyTorch: AdamW with groups, gradient accumulation, moving average of the weights.

    python3 optimizer.py < JOB.json

JOB has parameters by path, batches of tokens, targets and weights [B, T], and the fields of `train`. The answer is the loss of each
step, and at the end the parameters and their moving average.
"""

import fnmatch
import json
import sys

import torch
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

job = json.load(sys.stdin)
train = job["train"]
names = {path: path.replace(".", "_") for path in job["parameters"]}


class Elman(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for path, (shape, data) in job["parameters"].items():
            self.register_parameter(names[path], torch.nn.Parameter(torch.tensor(data).double().reshape(shape)))

    def forward(self, tokens):
        p = {path.replace("layers.0.", ""): getattr(self, name) for path, name in names.items()}
        x = p["embedding"][tokens]
        now = F.rms_norm(x, x.shape[-1:], p["mixerNorm"], 1e-6) @ p["mixer.input"] + p["mixer.bias"]
        states = [torch.zeros_like(now[:, 0])]
        for t in range(now.shape[1]):
            states.append(torch.tanh(now[:, t] + states[-1] @ p["mixer.recurrent"]))
        x = x + torch.stack(states[1:], 1) @ p["mixer.out"]
        normed = F.rms_norm(x, x.shape[-1:], p["feedForwardNorm"], 1e-6)
        gate, up = (normed @ p["feedForward.gateAndUp"]).chunk(2, -1)
        x = x + (F.silu(gate) * up) @ p["feedForward.down"]
        return F.rms_norm(x, x.shape[-1:], p["norm"], 1e-6) @ p["head"]


model = Elman()


def group(path):
    parameter = getattr(model, names[path])
    decays = parameter.dim() == 2 and path != "embedding"
    own = next((each for each in train["groups"] if fnmatch.fnmatchcase(path, each["match"])), {})
    return {
        "params": [parameter],
        "lr": train["learningRate"] * own.get("learningRateRatio", 1),
        "weight_decay": own.get("weightDecay", train["weightDecay"] if decays else 0),
        "betas": tuple(own.get(beta, train[beta]) for beta in ("beta1", "beta2")),
    }


optimizer = torch.optim.AdamW([group(path) for path in names], eps=train["epsilon"])
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1, (done + 1) / train["warmupSteps"]))
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(train["averaging"]["ema"]))
losses = []
for tokens, targets, weights in job["batches"]:
    tokens, targets, weights = torch.tensor(tokens), torch.tensor(targets), torch.tensor(weights).double()
    optimizer.zero_grad()
    total = 0
    for part in torch.arange(len(tokens)).chunk(train["shares"]):
        surprise = F.cross_entropy(model(tokens[part]).flatten(0, 1), targets[part].flatten(), reduction="none")
        loss = (surprise * weights[part].flatten()).sum() / weights.sum()
        loss.backward()
        total += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), train["maxGradNorm"])
    optimizer.step()
    schedule.step()
    average.update_parameters(model)
    losses.append(total)

flat = lambda source: {path: getattr(source, name).flatten().tolist() for path, name in names.items()}  # noqa: E731
print(json.dumps({"losses": losses, "parameters": flat(model), "average": flat(average.module)}))
