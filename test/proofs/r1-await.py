# call: f(3)
# expect: proven
import asyncio
from decimal import Decimal
async def g(n): return Decimal(n), n
async def main(n): return await g(n), 1
def f(n): return asyncio.run(main(n))
