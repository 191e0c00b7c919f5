# call: f()
# expect: proven
x = 1
if __name__ == "__main__":
    x = 2


def f():
    return x
