"""The operation `compare`: the last of three runs of a trace. It runs the program itself and compares it with the lines."""

from lab.environment import begin
from lab.job import Job, kind_of
from lab.plan import Plan
from lab.program import Program
from lab.proof import WATCHER, ProgramRun
from lab.script import other_path_of, path_of



def handle(request):
    job = Job(request)
    try:
        return compare(job, request["made"], request["replayed"], request.get("here", False), request.get("agreed", False))
    except RecursionError:
        return job.record | {"reason": "the program is nested too deeply to be compared"}


def compare(job, made, replayed, here, agreed):
    """First with the program's file where it is not in the other runs: what differs then is compared once more `here`, where it is.

    A deep program has no frames left for whom watches it. It runs twice: as Python runs it, and, where that `agreed`, watched, with
    more frames.
    """
    program = Program(job.source, path_of(job.file) if here else other_path_of(job.file))
    plan = Plan(made["plan"])
    watch = begin()
    expected = plan.read_states(replayed["states"])
    lines, bounds, careful = job.record["lines"], job.options.bounds, job.scanned["finalizers"]
    plain = job.deep and not agreed
    frames = None if not job.deep else 0 if plain else WATCHER
    original = ProgramRun(program, job.call.strip(), made["way"], plan.events, expected, lines, bounds, careful, frames, not plain)
    watch.collect()
    job.tell(watch)
    if watch.refused:
        job.record["reason"] = f"{watch.refused}{program.at(watch.refused_at)}"
        return job.settled(program)
    problem = original.problem
    ends = [made["error"], replayed["error"], kind_of(original.error)]
    if not job.deep and (original.unwatched or kind_of(RecursionError()) in ends):
        return job.again(deep=True, first=job.first)
    if problem is None and ends != [ends[0]] * 3:
        problem = f"the trace ends with {described(ends[1])}{ending(job.record, replayed)}, the program with {described(ends[2])}"
    if problem is None and made["error"] is None and (made["value"], made["told"]) != (original.result, original.told):
        problem = f"the trace gives {clipped(made['told'])}, the program {clipped(original.told)}{statement(job.record)}"
    printed = original.output.digest()
    if problem is None and (printed is None or printed != replayed["output"]):
        problem = "the program prints another text when it runs again" if printed else "an output that is too long, or to a descriptor that was closed"
    if problem is None and plain:
        return job.next("compare", made=made, replayed=replayed, here=here, agreed=True)
    if problem is None:
        job.record["proven"] = True
        if here:
            job.record.setdefault("environment", {})["file"] = program.path
        if original.kept:
            job.record["kept"] = [{"function": name, "why": why, "calls": count} for (name, why), count in original.kept.items()]
    elif not here:
        return job.next("compare", made=made, replayed=replayed, here=True)
    else:
        job.failed(problem)
    return job.settled(program)


def described(kind):
    return "no exception" if kind is None else kind[1]


def ending(record, replayed):
    """The line of the trace that raised when the trace ran by itself."""
    return statement(record, replayed["count"]) if replayed["error"] is not None else ""


def statement(record, count=0):
    """` in "return n", line 3`: the last line of the trace, or the one that many lines end with."""
    if not record["lines"]:
        return ""
    line = record["lines"][count - 1]
    place = "" if line["line"] is None else f", line {line['line']}"
    return f" in {clipped(line['code'])}{place}"


def clipped(text):
    text = str(text).split("\n")[0]
    return text if len(text) <= 80 else f"{text[:79]}…"
