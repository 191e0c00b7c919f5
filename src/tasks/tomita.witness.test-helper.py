"""Whether a string is in a language of Tomita's, by what the language is called."""

import re

LANGUAGES = {
    1: lambda text: "0" not in text,
    2: lambda text: re.fullmatch("(10)*", text) is not None,
    3: lambda text: not any(
        len(ones) % 2 == 1 and len(zeros) % 2 == 1 for ones, zeros in re.findall("(1+)(0+)", text)
    ),
    4: lambda text: "000" not in text,
    5: lambda text: text.count("0") % 2 == 0 and text.count("1") % 2 == 0,
    6: lambda text: (text.count("0") - text.count("1")) % 3 == 0,
    7: lambda text: re.fullmatch("0*1*0*1*", text) is not None,
}


def state(text, names, params):
    return [int(LANGUAGES[params.get("language", 5)](text))]
