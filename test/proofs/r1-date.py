# call: run('2024-01-31')
# expect: proven
from datetime import date, timedelta
def run(s):
    d = date.fromisoformat(s)
    nxt = d + timedelta(days=30)
    return nxt, (nxt - d).days
