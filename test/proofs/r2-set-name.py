# call: f()
# expect: proven
NAMES = []
class Field:
    def __set_name__(self, owner, name):
        NAMES.append(owner.__name__ + "." + name)
class Model:
    id = Field()
    title = Field()
def f():
    return NAMES
