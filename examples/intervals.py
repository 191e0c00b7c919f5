def merge(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = end
        else:
            merged.append([start, end])
    return merged


def test_merge():
    got = merge([[1, 9], [2, 4], [10, 12]])
    assert got == [[1, 9], [10, 12]]
