# call: run()
# expect: proven
HANDLERS = {}
def on(event):
    def deco(fn):
        HANDLERS.setdefault(event, []).append(fn)
        return fn
    return deco
@on("start")
def begin(x): return x + 1
@on("start")
def log(x): return f"log{x}"
@on("stop")
def end(x): return -x
def emit(ev, x): return [h(x) for h in HANDLERS.get(ev, [])]
def run(): return emit("start", 1), emit("stop", 2), emit("none", 3)
