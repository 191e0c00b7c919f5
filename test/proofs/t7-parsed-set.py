# call: f()
# expect embedded: told hashSeed
# expect native: proven
import ast
def f(): return list(ast.literal_eval("{'red', 'green', 'blue', 'white'}"))
