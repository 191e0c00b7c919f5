# call: f()
# expect: told timeZone
from datetime import datetime
def f(): return datetime.fromtimestamp(86400).hour, datetime(2020, 6, 1).timestamp()
