"""The MCP server as Python's client sees it: mcp_client.py COMMAND ARGUMENT ... prints what it answered, as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCE = "def f(xs):\n    total = 1\n    for x in xs:\n        total += x\n    return total\n"


async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])) as (read, write):
        async with ClientSession(read, write) as session:
            started = await session.initialize()
            tools = (await session.list_tools()).tools
            program = {"source": SOURCE, "call": "f([2, 3])", "at": "end"}
            opened = await session.call_tool("debug_open", program)
            name = opened.structured_content["session"]
            origin = await session.call_tool("where_from", {"session": name, "name": "total", "every": True})
            refused = await session.call_tool("debug_step", {"session": "x-1", "commands": ["step"]})
            answers = {
                "server": started.server_info.name,
                "tools": len(tools),
                "result": opened.structured_content["result"],
                "first": origin.structured_content["origins"][0],
                "refused": refused.is_error,
            }
            print(json.dumps(answers))


asyncio.run(main())
