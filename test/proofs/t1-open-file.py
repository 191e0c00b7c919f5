# call: f()
import ast


def f():
    with open(__file__) as file:
        return [n.name for n in ast.parse(file.read()).body if hasattr(n, "name")]
