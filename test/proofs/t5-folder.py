# call: f()
# expect: told folder
from pathlib import Path
def f(): return str(Path.cwd()), str(Path("a").resolve())
