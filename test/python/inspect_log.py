"""What inspect_ai reads of a folder with logs: inspect_log.py FOLDER prints it as JSON."""

import json
import os
import sys

os.environ.update(STATELAB_API_KEY="none", STATELAB_BASE_URL="http://127.0.0.1:9/v1")  # score makes a client of the model

from inspect_ai import score
from inspect_ai.analysis import evals_df, samples_df
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.scorer import includes

logs = list_eval_logs(sys.argv[1])
log = read_eval_log(logs[0])
answers = {
    "logs": len(logs),
    "model": log.eval.model,
    "metrics": {name: metric.value for name, metric in log.results.scores[0].metrics.items()},
    "evals": len(evals_df(sys.argv[1])),
    "samples": len(samples_df(sys.argv[1])),
    "rescored": len(score(log, includes(), display="none").results.scores),
    "messages": [message.id for message in log.samples[0].messages],
}
print(json.dumps(answers))
