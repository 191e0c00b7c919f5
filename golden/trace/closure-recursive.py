def f(n):
    memo = {}

    def fib(k):
        if k not in memo:
            memo[k] = k if k < 2 else fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)
# call: f(4)
