"""The operation `compare`: the last of three runs of a trace. It runs the program itself and compares it with the lines."""

from lab.environment import Watch
from lab.job import Job, kind_of
from lab.plan import Plan
from lab.program import Program
from lab.proof import ProgramRun
from lab.script import other_path_of, path_of


def handle(request):
    job = Job(request)
    try:
        return compare(job, request["made"], request["replayed"], request.get("here", False))
    except RecursionError:
        return job.record | {"reason": "the program is nested too deeply to be compared"}


def compare(job, made, replayed, here):
    """First with the program's file where it is not in the other runs: what differs then is compared once more `here`, where it is."""
    program = Program(job.source, path_of(job.file) if here else other_path_of(job.file))
    plan = Plan(made["plan"])
    watch = Watch()
    expected = plan.read_states(replayed["states"])
    lines, bounds, careful = job.record["lines"], job.options.bounds, job.scanned["finalizers"]
    original = ProgramRun(program, job.call.strip(), made["way"], plan.events, expected, lines, bounds, careful)
    watch.collect()
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
    printed = original.output.digest()
    if problem is None and (printed is None or printed != replayed["output"]):
        problem = "another output" if printed else "an output that is too long, or to a descriptor that was closed"
    if problem is None:
        job.record["proven"] = True
        if here:
            job.record.setdefault("environment", {})["file"] = program.path
    elif not here:
        return job.next("compare", made=made, replayed=replayed, here=True)
    else:
        job.failed(problem)
    return job.settled(program)


def described(kind):
    return "no exception" if kind is None else kind[1]
