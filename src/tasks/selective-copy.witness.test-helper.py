"""The state of selective copying: the word that the last mark asks for; without a mark the last word there is."""

import re


def state(text, names, params):
    return [re.findall(r"d\d+", text)[text.count(">") - 1]]
