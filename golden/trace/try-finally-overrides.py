def f(n):
    try:
        return 1 // n
    finally:
        return "finally"
# call: f(0)
