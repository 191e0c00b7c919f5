"""The operation `compare`: the last of three runs of a trace. It runs the program itself and compares it with the lines."""

from lab.environment import Watch
from lab.job import Job, kind_of
from lab.plan import Plan
from lab.program import Program
from lab.proof import ProgramRun


def handle(request):
    job = Job(request)
    try:
        return compare(job, request["made"], request["replayed"])
    except RecursionError:
        return job.record | {"reason": "the program is nested too deeply to be compared"}


def compare(job, made, replayed):
    program = Program(job.source)
    plan = Plan(made["plan"])
    watch = Watch(job.scanned)
    expected = plan.read_states(replayed["states"])
    lines, bounds, careful = job.record["lines"], job.options.bounds, job.scanned["finalizers"]
    original = ProgramRun(program, job.call.strip(), made["way"], plan.events, expected, lines, bounds, careful)
    job.tell(watch)
    if watch.refused:
        job.record["reason"] = f"{watch.refused}{program.at(watch.refused_at)}"
        return job.settled(program)
    problem = original.problem
    ends = [made["error"], replayed["error"], kind_of(original.error)]
    if problem is None and ends != [ends[0]] * 3:
        problem = f"the trace ends with {described(ends[1])}, the program with {described(ends[2])}"
    if problem is None and made["error"] is None and (made["value"], made["told"]) != (original.result, original.told):
        problem = "another result"
    if problem is None and original.output.text() != replayed["output"]:
        problem = "another output"
    if problem is None:
        job.record["proven"] = True
        if original.kept:
            job.record["kept"] = [{"function": name, "why": why, "calls": count} for (name, why), count in original.kept.items()]
    else:
        job.failed(problem)
    return job.settled(program)


def described(kind):
    return "no exception" if kind is None else kind[1]
