# call: f()
# expect: proven
import asyncio, time
LOG = []
async def a():
    await asyncio.sleep(0.02)
    LOG.append("a")
async def b():
    time.sleep(0.05)
    await asyncio.sleep(0.001)
    LOG.append("b")
async def main():
    await asyncio.gather(a(), b())
def f():
    asyncio.run(main())
    return LOG
