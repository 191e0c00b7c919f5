"""The operation `several`: requests one after the other, each met by an interpreter in the state in which the first one began.

    {"requests": [{"operation": "outcomes", ...}, {"operation": "history", ...}]}
    ->  {"answers": [{"outcomes": [...]}, {"events": [...], ...}]}

A request of the host's costs a process; one of these a copy of it. The limits are those of all of them together.
"""

from lab.entry import Next, run


def handle(request):
    requests, answers = request["requests"], request.get("answers", [])
    if len(answers) < len(requests):
        first = requests[len(answers)]
        answer = run(first)
        if type(answer) is Next:  # it takes several runs itself
            if answer.withheld is not None:
                raise ValueError(f"{first['operation']} among several requests")
            requests[len(answers)] = answer.request
        else:
            answers.append(answer)
    if len(answers) < len(requests):
        return Next("several", requests=requests, answers=answers)
    return {"answers": answers}
