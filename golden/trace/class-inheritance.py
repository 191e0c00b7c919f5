class Animal:
    def __init__(self, name):
        self.name = name

    def speak(self):
        return self.name + " " + self.sound()


class Dog(Animal):
    def __init__(self, name):
        super().__init__(name.upper())

    def sound(self):
        return "woof"


def f(name):
    dog = Dog(name)
    return dog.speak()
# call: f("rex")
# exchange: f("ace")
