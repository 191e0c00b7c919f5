"""The operation `replay`: the second of three runs of a trace. It runs the lines alone and notes the state after each."""

from lab.environment import begin
from lab.job import Job, kind_of
from lab.plan import Plan
from lab.program import Program
from lab.proof import TraceRun
from lab.script import path_of


def handle(request):
    job = Job(request)
    try:
        return replay(job, request["made"])
    except RecursionError:
        return job.record | {"reason": "the trace is nested too deeply to be run"}


def replay(job, made):
    plan = Plan(made["plan"])
    options, record = job.options, job.record
    watch = begin()
    careful = job.scanned["finalizers"]
    bounds, path = options.bounds, path_of(job.file)
    run = TraceRun(plan.lines, plan.wanted(), bounds, options.maximum_state_characters, careful, path, made["stopped"], job.deep)
    if isinstance(run.error, MemoryError):
        del plan.lines[run.count :]
        record["steps"] = sum(line.role not in ("arguments", "assert") for line in plan.lines)
    job.tell(watch)
    record["truncated"] = record["truncated"] or run.states.cut or run.changes.left < 0
    record["lines"] = [written(line, told) for line, told in zip(plan.lines, run.told)]
    if made["stopped"]:
        return job.settled(Program(job.source))
    replayed = {
        "states": plan.write_states(run.after),
        "error": kind_of(run.error),
        "count": run.count,
        "output": run.output.digest(),
    }
    return job.next("compare", made=made, replayed=replayed)


def written(line, told):
    return {"code": line.text, "line": line.number, "helper": line.helper, "role": line.role, **told}
