# call: f()
# expect embedded: proven
import asyncio, time
async def main():
    loop = asyncio.get_running_loop()
    begin = loop.time()
    time.sleep(0.2)
    await asyncio.sleep(0.1)
    return 0.3 <= loop.time() - begin < 0.5
def f(): return asyncio.run(main())
