"""The state of a modular expression: what Python says it is."""


def state(text, names, params):
    return [eval(text) % params["modulus"]]
