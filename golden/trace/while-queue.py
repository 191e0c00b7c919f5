def f(graph, start):
    seen, queue = {start}, [start]
    while queue:
        node = queue.pop(0)
        for other in graph[node]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return sorted(seen)
# call: f({1: [2], 2: [1, 3], 3: []}, 1)
# exchange: f({4: [5], 5: [4, 6], 6: []}, 4)
