"""Against the program itself: what a data frame holds is what the program printed or wrote."""

import json
import urllib.request
from pathlib import Path

import numpy
import pytest
import statelab

CONFIG = {
    "task": {"name": "repl", "commands": 4, "spacing": 2},
    "model": {"name": "deltanet", "layers": 2, "width": 16, "heads": 2},
    "train": {"steps": 20, "batch": 4},
    "evaluate": {"examples": 10},
}
COUNT = "def count(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return statelab.train(CONFIG, tmp_path_factory.mktemp("runs") / "tiny", set={"train.steps": 12})


def test_a_run_is_data_frames(run):
    assert run.config["model"]["name"] == "deltanet"
    assert list(run.metrics["step"]) == list(range(1, 13))
    told = statelab.evaluate(run)["results"][0]
    last = run.tests.iloc[-1]
    assert last["accuracy"] == told["accuracy"]
    answers = run.answers[run.answers["test"] == last.name]
    assert len(answers) == told["reveals"] and answers["correct"].mean() == pytest.approx(told["accuracy"])
    assert "deltanet on repl" in run._repr_html_()


def test_weights_and_activations_are_those_of_the_model(run):
    weights = run.weights()
    found = run.activations(["residual"], programs=10)
    hidden = found["layers.1.residual"]
    # the last residual through the final norm and the head gives the predictions that the file tells
    scaled = hidden / numpy.sqrt((hidden**2).mean(-1, keepdims=True) + 1e-5) * weights["norm"]
    logits = scaled @ weights["head"]
    values = {word: i for i, word in enumerate(metadata(run)["values"])}
    vocabulary = metadata(run)["vocabulary"]
    for program, position, variable, value, predicted in found["reveals"]:
        assert found["states"][program, position, variable] == value
        word = vocabulary[int(logits[program, position].argmax())]
        assert values.get(word, -1) == predicted


def metadata(run):
    from safetensors import safe_open

    with safe_open(run.folder / "export" / "activations" / "activations.safetensors", "np") as file:
        return {key: json.loads(value) for key, value in file.metadata().items()}


def test_a_sweep_is_one_table(tmp_path):
    for seed in (0, 1):
        statelab.train(CONFIG, tmp_path / f"seed-{seed}", seed=seed, set={"train.steps": 2})
    sweep = statelab.Sweep(tmp_path)
    assert [list(sweep.metrics[name]) for name in ("seed", "step")] == [[0, 0, 1, 1], [1, 2, 1, 2]]
    assert sweep.metrics["loss"].iloc[0] == sweep.runs[0].metrics["loss"].iloc[0]


def test_examples_have_their_states():
    first, *_ = statelab.generate("repl", 3, set={"commands": 2, "spacing": 1})
    assert ">>>" in first["text"] and "reveals" in first


def test_a_trace_and_the_debugger(tmp_path):
    traced = statelab.trace(COUNT, "count([1, 2])")
    assert traced.proven and traced.result == 3 and "total += x" in str(traced)
    refused = statelab.trace("def f():\n    import ctypes\n", "f()")
    assert not refused.proven and "ctypes" in str(refused)
    replies = statelab.debug(COUNT, "count([1, 2])", "continue total == 3; whence total")
    assert "total" in json.dumps(replies)
    (tmp_path / "count.py").write_text(COUNT)
    assert statelab.trace(tmp_path / "count.py", "count([4])").result == 4


def test_a_transcript_that_loses_the_state():
    said = "After line 2, total is 0.\nAfter line 4, total is 1.\nAfter line 4, total is 5."
    messages = [{"role": "user", "content": "Go through count([1, 2])."}, {"role": "assistant", "content": said}]
    told = statelab.first_error(messages, COUNT, "count([1, 2])")
    assert told["onset"]["state"] == {"total": "3"}


def test_a_server(run):
    with statelab.serve(run) as server:
        with urllib.request.urlopen(f"{server.url}/models") as reply:
            assert json.load(reply)["data"][0]["id"] == server.model


def test_errors_are_the_program_s_sentences(run, tmp_path, monkeypatch):
    with pytest.raises(statelab.StatelabError, match="^evaluate: expected a known flag, got \"--colour\""):
        statelab.call("evaluate", run, colour="red")
    with pytest.raises(statelab.StatelabError, match="expected the folder of a run"):
        statelab.Run(tmp_path)
    with pytest.raises(statelab.StatelabError, match="expected the folder of a run"), statelab.serve(tmp_path):
        pass
    monkeypatch.setenv("PATH", "")
    with pytest.raises(statelab.StatelabError, match="expected Node.js"):
        statelab.call("list")
