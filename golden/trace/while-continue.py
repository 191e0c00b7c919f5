def f(n):
    odd = []
    while n:
        n -= 1
        if n % 2 == 0:
            continue
        odd.append(n)
    return odd
# call: f(4)
