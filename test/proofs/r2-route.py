# call: f()
# expect: proven
class App:
    def __init__(self): self.routes = {}
    def get(self, path):
        def register(fn):
            self.routes[path] = fn.__name__
            return fn
        return register
app = App()
@app.get("/")
def index(): return "home"
@app.get("/about")
async def about(): return "about"
@app.get("/gen")
def gen(): yield 1
def f(): return app.routes
