class Safe:
    def __init__(self, code):
        self.__code = code

    def open(self, code):
        return self.__code == code


def f(code):
    return Safe(7).open(code)
# call: f(7)
# exchange: f(8)
