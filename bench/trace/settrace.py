"""What a user would write: run each program under sys.settrace, and write down repr of the locals at every line.

Reads CRUXEval's rows as JSON lines from stdin, prints {"seconds": ..., "lines": ..., "programs": ...}. No proof, no limits,
no containment: known data only.
"""

import json
import sys
import time

rows = [json.loads(line) for line in sys.stdin if line.strip()]
recorded = []


def tracer(frame, event, argument):
    if frame.f_code.co_filename != "<program>":
        return None
    if event == "line":
        recorded.append((frame.f_lineno, {name: repr(value) for name, value in frame.f_locals.items()}))
    return tracer


started = time.perf_counter()
for row in rows:
    namespace = {}
    exec(compile(row["code"], "<program>", "exec"), namespace)
    code = compile(f"f({row['input']})", "<call>", "eval")
    sys.settrace(tracer)
    try:
        eval(code, namespace)
    finally:
        sys.settrace(None)
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "lines": len(recorded), "programs": len(rows)}))
