"""Swift source without comments and string literals."""

import functools
import re

# What is neither in a comment nor in a string up to here.
_PLAIN = re.compile(r'[^/"#]+')
# A string's opening: any number of #, then one or three quotation marks.
_STRING = re.compile(r'(#*)("""|")')


@functools.lru_cache(maxsize=4)
def code_only(text, keep_strings=False):
    """Replaces comments and strings by spaces, so that lines and columns are unchanged."""
    result = []
    position = 0
    while position < len(text):
        plain = _PLAIN.match(text, position)
        if plain:
            result.append(plain.group())
            position = plain.end()
            continue
        end = _comment_end(text, position)
        if end is not None:
            result.append(_blank(text[position:end]))
            position = end
            continue
        opening = _STRING.match(text, position)
        if opening:
            end = _string_end(text, opening)
            literal = text[position:end]
            result.append(literal if keep_strings else _blank(literal))
            position = end
            continue
        result.append(text[position])
        position += 1
    return "".join(result)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _comment_end(text, start):
    if text.startswith("//", start):
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    if text.startswith("/*", start):
        depth, position = 0, start
        while position < len(text):
            if text.startswith("/*", position):
                depth, position = depth + 1, position + 2
            elif text.startswith("*/", position):
                depth, position = depth - 1, position + 2
                if depth == 0:
                    return position
            else:
                position += 1
        return len(text)
    return None


def _string_end(text, opening):
    hashes, quotes = opening.groups()
    closing, escape = quotes + hashes, "\\" + hashes
    position = opening.end()
    while position < len(text):
        if text.startswith(escape, position):
            position += len(escape)
            # An interpolation may contain strings.
            position = _group_end(text, position) if text.startswith("(", position) else position + 1
        elif text.startswith(closing, position):
            return position + len(closing)
        elif quotes == '"' and text[position] == "\n":
            return position  # not a string after all; the compiler will say so
        else:
            position += 1
    return len(text)


def _group_end(text, start):
    """Returns the index after the bracket that closes the one at `start`."""
    depth, position = 0, start
    while position < len(text):
        opening = _STRING.match(text, position)
        if opening:
            position = _string_end(text, opening)
            continue
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return len(text)
