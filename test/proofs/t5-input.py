# call: f()
# expect: refused standard input
def f():
    try: return int(input())
    except EOFError: return -1
