# call: f()
# expect: told file
import argparse
def f():
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int)
    return p.format_usage(), p.parse_args(["--n", "3"]).n
