# call: f()
# expect: proven
import os
def f():
    with open("own.txt", "w") as file:
        file.write("a")
    with open("own.txt") as file:
        text = file.read()
    os.remove("own.txt")
    return text, os.path.exists("own.txt")
