# call: f()
# expect embedded: proven
import unittest


class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(1, 1)

    def test_b(self):
        self.assertEqual(1, 2)


def f():
    r = unittest.main(exit=False, argv=["x"]).result
    return r.testsRun, len(r.failures), T("test_a").id()
