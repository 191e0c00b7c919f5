def f(n):
	if n:
		n = n + 1
	return n
# call: f(1)
# exchange: f(2)
