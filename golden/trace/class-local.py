def f(n):
    class Local:
        k = 3

        def get(self):
            return self.k + n

    return Local().get()
# call: f(1)
# exchange: f(2)
