"""What other programs read in our files, as JSON.

    python3 exports.py PACKAGE FOLDER [COMMAND...]

Of a run exported as CSV and Parquet: the columns of each table as lists, without missing values.
"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

FORMS = {"lines": "jsonl", "csv": "csv", "parquet": "parquet"}


def tables(run, read):
    """read(form, path) is a table, as lists by column."""
    files = {"metrics.jsonl": run / "metrics.jsonl"}
    for form in ("csv", "parquet"):
        files.update({f"{name}.{form}": run / "export" / form / f"{name}.{form}" for name in ("metrics", "answers", "summary")})
    return {name: filled(read(path.suffix[1:], str(path))) for name, path in files.items()}


def filled(table):
    return {name: [cell for cell in cells if cell is not None and cell == cell] for name, cells in table.items()}


def pandas(run):
    import pandas

    readers = {"jsonl": lambda path: pandas.read_json(path, lines=True, precise_float=True), "csv": pandas.read_csv, "parquet": pandas.read_parquet}
    return tables(run, lambda form, path: readers[form](path).to_dict("list"))


def polars(run):
    import polars

    try:  # the first lines have no number of heldOut: it must not be lost in silence
        polars.read_ndjson(run / "metrics.jsonl")
        raise AssertionError("expected a refusal")
    except polars.exceptions.ComputeError:
        pass
    all_rows = {"infer_schema_length": None}
    readers = {
        "jsonl": lambda path: polars.read_ndjson(path, **all_rows),
        "csv": lambda path: polars.read_csv(path, **all_rows),
        "parquet": polars.read_parquet,
    }
    return tables(run, lambda form, path: readers[form](path).to_dict(as_series=False))


def duckdb(run):
    import duckdb

    def read(form, path):
        found = duckdb.sql(f"select * from '{path}'")
        return {name: list(cells) for name, cells in zip(found.columns, zip(*found.fetchall()))}

    return tables(run, read)


def datasets(run):
    import datasets

    formats = {"jsonl": "json", "csv": "csv", "parquet": "parquet"}

    def load(*args, **options):
        return datasets.load_dataset(*args, cache_dir=str(run / "cache"), **options)

    read = tables(run, lambda form, path: load(formats[form], data_files=path)["train"].to_dict())
    texts = {form: load(str(run / form)) for form in ("jsonl", "parquet")}
    lines, columns = (texts[form]["train"] for form in ("jsonl", "parquet"))
    assert len(datasets.concatenate_datasets([lines, columns.cast(lines.features)])) == 2 * len(lines)
    line = (run / "jsonl" / "README.md").read_text().split("```python\n")[1].split("\n")[0]
    asked = [eval(line, {"data": data}) for data in (lines, columns)]
    read["asked"] = [[data["prompt"][:], data["target"][:]] for data in asked]
    read["texts"] = {form: {name: split["text"][:] for name, split in each.items()} for form, each in texts.items()}
    return read


def tensorboard(run, *command):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(run / "tensorboard"))
    seen = []
    for then in (command, None):
        log.Reload()
        seen.append([[event.step, event.value] for event in log.Scalars("train/loss")])
        if then:
            subprocess.run(then, check=True, capture_output=True)
    return seen


def hparams(folder):
    from tensorboard import program

    server = program.TensorBoard()
    server.configure(argv=[None, "--logdir", str(folder), "--port", "0", "--load_fast", "false"])
    url = f"{server.launch()}data/plugin/hparams/"
    experiment = fetch(f"{url}experiment", {})
    asked = {"experimentName": "", "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]}
    asked["colParams"] = [{"metric": name["name"]} for name in experiment["metricInfos"]]
    groups = fetch(f"{url}session_groups", {**asked, "startIndex": 0, "sliceSize": 100})["sessionGroups"]
    return [[group["hparams"]["model.betaMax"], len(group["sessions"])] for group in groups]


def fetch(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def onnxruntime(run):
    import numpy
    import onnxruntime
    from safetensors.numpy import load_file

    read = load_file(run / "export" / "activations" / "activations.safetensors")
    tokens = read["tokens"]
    names = ["logits", "layers.0.residual"]
    logits, residual = onnxruntime.InferenceSession(run / "model.onnx").run(names, {"tokens": tokens})
    step = onnxruntime.InferenceSession(run / "step.onnx")
    sizes = {each.name: each.shape for each in step.get_inputs() if each.name.startswith("state.")}
    states = {name: numpy.zeros(shape, "float32") for name, shape in sizes.items()}
    single = []
    for at, token in enumerate(tokens[0]):
        fed = {"token": numpy.array([token], "int32"), "position": numpy.array([at], "int32"), **states}
        out = dict(zip([each.name for each in step.get_outputs()], step.run(None, fed)))
        single.append(out["logits"][0])
        states = {name: out[name.replace("state.", "next.", 1)] for name in states}
    known = read["lengths"][:, None] > numpy.arange(tokens.shape[1])
    return {
        "step": float(numpy.abs(numpy.array(single) - logits[0])[known[0]].max()),
        "residual": float(numpy.abs(residual - read["layers.0.residual"])[known].max()),
        "scale": float(numpy.abs(logits).max()),
    }


def safetensors(run):
    from safetensors.numpy import load_file

    return {name: [list(array.shape), array.ravel().tolist()] for name, array in load_file(run / "model.safetensors").items()}


def pylatexenc(folder):
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalker

    (path,) = folder.glob("summary.tex")
    found = [node for node in LatexWalker(path.read_text(), tolerant_parsing=False).get_latex_nodes()[0] if node.isNodeType and hasattr(node, "environmentname")]
    return [found[0].environmentname, LatexNodes2Text().nodelist_to_text(found[0].nodelist).replace("\u02c6", "^")]


if __name__ == "__main__":
    _, name, folder, *command = sys.argv
    print(json.dumps(globals()[name](Path(folder), *command)))
