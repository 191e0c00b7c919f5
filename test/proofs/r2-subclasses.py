# call: f()
# expect: proven
class Base:
    def run(self): return 0
class One(Base):
    def run(self): return 1
class Two(Base):
    def run(self): return 2
def f():
    return [kind().run() for kind in Base.__subclasses__()]
