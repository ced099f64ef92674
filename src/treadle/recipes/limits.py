"""How large a recipe may be: what is refused before its text is parsed.

In: untrusted text. Out: nothing, or the first problem with its line. The parser of TOML calls
itself for each bracket, takes a time that grows with the square of a dotted key's parts and of a
number's digits, and says so in exceptions of its own; within these limits it does none of that.
Looks at brackets, words and strings only, and knows nothing about what they mean.
"""

from __future__ import annotations

import re

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_PROBLEMS", "MAX_STAGES", "MAX_STRING", "MAX_WORD"]
__all__ += ["beyond"]

MAX_BYTES = 1 << 16
MAX_STAGES = 128  # each costs planning and compiling: up to 0.2 s the first time
MAX_DEPTH = 8  # of lists, tables and dotted keys; recipes need three
MAX_WORD = 64  # characters of a name, digits of a number
MAX_STRING = 2000
MAX_PROBLEMS = 50  # that are listed; looking for near names takes its time

# Every alternative ends at the end of the text at the latest, so that none is tried twice.
_TOKEN = re.compile(
    r'''
    (?P<string> """(?:[^\\]|\\.?)*?(?:"""|\Z) | \'\'\'.*?(?:\'\'\'|\Z)
              | "(?:[^"\\\n]|\\[^\n])*"? | '[^'\n]*'? )
    | \#[^\n]* | [ \t]+ | (?P<word> [\w+\-]+ ) | (?P<other> . )
    ''',
    re.VERBOSE | re.DOTALL,
)


def beyond(text: str) -> tuple[str, int | None] | None:
    """Return what is too large, and its line; None where everything is within the limits."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        return f"has {size} bytes; a recipe has at most {MAX_BYTES}", None
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        found, length = "", len(token[0])
        if token["string"] and length > MAX_STRING:
            found = f"a string of {length} characters; at most {MAX_STRING} are read"
        elif word := token["word"]:
            if length > MAX_WORD:
                what = "number" if word.lstrip("+-")[:1].isdigit() else "name"
                of = "digits" if what == "number" else "characters"
                found = f"a {what} of {length} {of}; at most {MAX_WORD} are read"
        elif other := token["other"]:
            dots = dots + 1 if other == "." else 0
            depth = max(depth + (other in "[{") - (other in "]}"), 0)
            if max(depth, dots + 1) > MAX_DEPTH:
                found = f"nested more than {MAX_DEPTH} deep"
        if found:
            return found, text.count("\n", 0, token.start()) + 1
    return None
