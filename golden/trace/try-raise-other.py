def f(n):
    try:
        try:
            1 / n
        except ZeroDivisionError as error:
            raise ValueError("zero") from error
    except ValueError as error:
        return str(error)
# call: f(0)
