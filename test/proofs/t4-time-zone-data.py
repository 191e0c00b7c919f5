# call: f()
# expect embedded: refused tzdata
from zoneinfo import ZoneInfo
from datetime import datetime
def f(): return datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Paris")).utcoffset().seconds
