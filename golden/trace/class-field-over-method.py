class Button:
    def press(self):
        return "method"


def f(n):
    button = Button()
    first = button.press()
    button.press = lambda: n
    return first, button.press()
# call: f(1)
# exchange: f(2)
