"""Runs the tasks of `statelab llm export --to hub` in inspect_ai or lm-eval with scripted replies.

    harness_judge.py inspect|hf|lm-eval DIR BIN      DIR has the tasks, and in replies.json the reply to each prompt

BIN has the program statelab. It writes the log to logs/ and prints the values of the samples by prompt as JSON.
"""

import json
import os
import sys
from pathlib import Path

harness, folder, binaries = sys.argv[1:]
os.chdir(folder)
os.environ["PATH"] = f"{binaries}:{os.environ['PATH']}"
replies = json.loads(Path("replies.json").read_text())
task = next(Path(".").glob("statelab_*_judge.yaml")).name.removesuffix("_judge.yaml")


def with_inspect(tasks):
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(input, *_):
        output = ModelOutput.from_content("mockllm/model", replies[input[-1].text])
        return output.model_copy(update={"usage": ModelUsage()})  # else it loads a tokenizer from the network

    model = get_model("mockllm/model", custom_outputs=output)
    (log,) = run(tasks, model=model, log_dir="logs", log_format="eval", display="none")
    assert log.status == "success", log.error
    return {each.input: next(iter(each.scores.values())).value == "C" for each in log.samples}


def hub_task():
    """The task of eval.yaml, with the data set of this folder in place of the Hub's."""
    import huggingface_hub
    from inspect_ai._eval.task import hf
    from inspect_ai.dataset import json_dataset

    huggingface_hub.hf_hub_download = lambda **_: "eval.yaml"
    hf.hf_dataset = lambda sample_fields, **_: json_dataset("test.jsonl", sample_fields)
    return hf.task_create_from_hf("hf/owner/name")


def with_lm_eval():
    from lm_eval.api.model import LM
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Scripted(LM):
        def generate_until(self, requests):
            return [replies[each.args[0]] for each in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    tasks = [task, f"{task}_judge"]
    tracker = EvaluationTracker(output_path="logs")
    found = TaskManager(include_path=".")
    results = simple_evaluate(Scripted(), model_args="model=m", tasks=tasks, task_manager=found, evaluation_tracker=tracker)
    samples = results["samples"]
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name=tasks[1], samples=samples[tasks[1]])
    (written,) = Path("logs").glob("**/samples_*.jsonl")
    written.rename("logs/samples_judge.jsonl")
    metrics = ["exact_match", "acc"]
    return [{each["doc"]["prompt"]: bool(each[metric] == 1) for each in samples[name]} for name, metric in zip(tasks, metrics)]


values = {"inspect": lambda: with_inspect("inspect_task.py"), "hf": lambda: with_inspect(hub_task()), "lm-eval": with_lm_eval}
print(json.dumps(values[harness]()))
