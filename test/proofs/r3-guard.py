# call: None
# expect: proven
def double(n):
    return 2 * n


if __name__ == "__main__":
    for each in [1, 2]:
        print(double(each))
