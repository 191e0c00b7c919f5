def f(s):
    t = 'it"s' + "\n" + '''a
b''' + s
    return t.replace("\n", "\\")
# call: f("ü")
# exchange: f("😀")
