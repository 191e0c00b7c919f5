# call: None
# expect: proven
x = 1
for i in range(3):
    x *= 2
print(x)
