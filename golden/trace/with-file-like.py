import io


def f(text):
    with io.StringIO(text) as file:
        lines = file.readlines()
    return lines
# call: f("a\nb")
# exchange: f("q")
