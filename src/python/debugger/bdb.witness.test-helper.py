"""Python's own debugger as a witness: what `bdb` shows after each command, and which instructions stored which names.

    <- {"source": ..., "call": ..., "commands": [{"do": "step"}, {"do": "break", "line": 5, "condition": "a > 2"}, ...]}
    -> {"stops": [{"said": "step", "event": "line", "function": "f", "line": 8, "locals": {"n": "2"}}, ...],
        "stores": [[3, 1, "x"], ...]}          after event 3, in the first call, x

A command that bdb understands otherwise (docs/how-to/debug.md) is replaced; `said` is what was done. Knows nothing of the lab.
"""

import ast
import bdb
import contextlib
import dis
import io
import json
import linecache
import sys
import types

FILE = "<program>"
PLAIN = (int, str, bool, list, dict, tuple, set, float, type(None))
GENERATOR = 0x20 | 0x80 | 0x200


def shown(variables):
    texts = {}
    for name, value in variables.items():
        if isinstance(value, BaseException):
            texts[name] = f"<{type(value).__name__}>"
        elif type(value) in PLAIN:
            texts[name] = repr(value)
        elif isinstance(value, (types.FunctionType, types.ModuleType, types.BuiltinFunctionType, type)):
            pass
        elif type(value).__module__ == "program":
            fields = "".join(f" {field}={item!r}" for field, item in vars(value).items())
            texts[name] = f"<{type(value).__name__}{fields}>"
        else:
            texts[name] = f"<{type(value).__name__}>"
    return texts


def functions_of(source):
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            runs = [each for each in node.body if not isinstance(each, (ast.Global, ast.Nonlocal))]
            found[min([node.lineno, *[each.lineno for each in node.decorator_list]]), node.name] = runs[0].lineno
    return found


def namespace_of(source):
    module = sys.modules["program"] = types.ModuleType("program")
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    exec(compile(source, FILE, "exec", dont_inherit=True), vars(module))
    return vars(module)


class Witness(bdb.Bdb):
    def __init__(self, source, commands):
        bdb.Breakpoint.next, bdb.Breakpoint.bplist, bdb.Breakpoint.bpbynumber = 1, {}, [None]
        super().__init__()
        self.functions = functions_of(source)
        self.commands = list(commands)
        self.stops = []
        self.said = None

    def ours(self, frame):
        code = frame.f_code
        return code.co_filename == FILE and (code.co_firstlineno, code.co_name) in self.functions

    def trace_dispatch(self, frame, event, arg):
        return super().trace_dispatch(frame, event, arg) if self.ours(frame) else None

    def do_clear(self, number):
        self.clear_bpbynumber(number)

    def user_call(self, frame, arguments):
        if self.stop_here(frame):
            self.stop("call", frame)

    def user_line(self, frame):
        self.stop("line", frame)

    def user_return(self, frame, value):
        self.stop("return", frame)

    def user_exception(self, frame, information):
        self.stop("exception", frame)

    def stop(self, event, frame):
        place = {"event": event, "function": frame.f_code.co_name, "line": frame.f_lineno, "locals": shown(frame.f_locals)}
        self.stops.append({"said": self.said, **place})
        self.said = []
        while self.commands:
            if self.carry_out(self.commands.pop(0), frame):
                return
        self.said = ["clear", "continue"]
        for breakpoint in [each for each in bdb.Breakpoint.bpbynumber if each]:
            self.clear_bpbynumber(breakpoint.number)
        self.set_continue()

    def chain(self, frame):
        frames = []
        while frame is not None:
            if self.ours(frame):
                frames.append(frame)
            frame = frame.f_back
        return frames

    def carry_out(self, command, frame):
        """Whether the program runs on."""
        do = command["do"]
        frames = self.chain(frame)
        up = min(command.get("up", 0), len(frames) - 1)
        current = frames[up]
        if do in ("next", "return", "until") and up:
            self.said.append(f"up {up}")
        if do == "return" and current.f_code.co_flags & GENERATOR:
            do = "step"  # bdb runs on until something hears of the generator's end
        if do == "return" and not (self.ours(current.f_back) or current.f_back.f_code.co_filename == "<call>"):
            do = "step"  # its caller is an expression that the lab does not step through
        if do == "step":
            self.said.append("step")
            self.set_step()
        elif do == "next":
            self.said.append("next")
            self.set_next(current)
        elif do == "return":
            self.said.append("return")
            self.set_return(current)
        elif do == "until":
            line = command.get("line")
            line = line if line and line > current.f_lineno else None
            self.said.append("until" if line is None else f"until {line}")
            self.set_until(current, line)
        elif do == "continue":
            self.said.append("continue")
            self.set_continue()
        elif do == "clear":
            for breakpoint in [each for each in bdb.Breakpoint.bpbynumber if each]:
                self.clear_bpbynumber(breakpoint.number)
            self.said.append("clear")
            return False
        else:
            self.set_point(command, frames)
            return False
        return True

    def set_point(self, command, frames):
        name, line, condition = command.get("function"), command.get("line"), command.get("condition")
        if name is not None:
            # bdb treats the next line of such a call as the first of the function
            if any(each.f_code.co_name == name for each in frames):
                return
            line = next(first for first, each in self.functions if each == name)
        temporary = command["do"] == "tbreak"
        if self.set_break(FILE, line, temporary, condition, name) is None:
            # bdb takes for it the first line that it looks at, which a step may have passed over
            bdb.Breakpoint.bpbynumber[-1].func_first_executable_line = name and self.functions[line, name]
            self.said.append(f"{command['do']} {name or line}{f', {condition}' if condition else ''}")


def computed(condition, *namespaces):
    try:
        return eval(condition, *namespaces)
    except Exception:
        return False


bdb.eval = computed
"""At a condition that cannot be computed bdb stops, and the debugger does not (docs/how-to/debug.md)."""


def debug(source, call, commands):
    witness = Witness(source, commands)
    namespace = namespace_of(source)
    expression = compile(call, "<call>", "eval")
    witness.reset()
    witness.botframe = sys._getframe()
    witness.set_step()
    sys.settrace(witness.trace_dispatch)
    try:
        eval(expression, namespace)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return [*witness.stops, {"said": witness.said, "event": "end"}]


def stores(source, call):
    """After which event, in which call, which name was stored, by the instructions themselves."""
    functions = functions_of(source)
    namespace = namespace_of(source)
    found, frames, suspended = [], [], {}
    count, events = 0, 0
    instructions = {}

    def called(frame, event, argument):
        nonlocal count, events
        code = frame.f_code
        if code.co_filename != FILE or (code.co_firstlineno, code.co_name) not in functions:
            return None
        frame.f_trace_opcodes = True
        known = suspended.pop(id(frame), None) if code.co_flags & GENERATOR else None
        if known is None:
            count += 1
            known = count
        frames.append((frame, known))
        events += 1
        return local

    def local(frame, event, argument):
        nonlocal events
        while frames[-1][0] is not frame:
            frames.pop()
        activation = frames[-1][1]
        if event == "opcode":
            code = frame.f_code
            if code not in instructions:
                instructions[code] = {each.offset: each for each in dis.get_instructions(code)}
            each = instructions[code][frame.f_lasti]
            if each.opname in ("STORE_FAST", "STORE_DEREF"):
                found.append((events - 1, activation, each.argval))
            return local
        internal = event == "exception" and argument[0] is StopIteration and argument[2] is None
        if internal and frame.f_code.co_flags & GENERATOR:
            return local
        events += 1
        if event == "return":
            frames.pop()
            if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "YIELD_VALUE":
                suspended[id(frame)] = activation
        return local

    expression = compile(call, "<call>", "eval")
    sys.settrace(called)
    try:
        eval(expression, namespace)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return found


for request in sys.stdin:
    request = json.loads(request)
    with contextlib.redirect_stdout(io.StringIO()):
        answer = {
            "stops": debug(request["source"], request["call"], request["commands"]),
            "stores": stores(request["source"], request["call"]),
        }
    print("@" + json.dumps(answer))
