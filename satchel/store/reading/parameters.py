"""Lists of parameters and arguments in the text of signatures and calls. Pure."""


def end_of_list(text: str, start: int) -> int:
    """Where the bracket closes that opened just before `start`; -1 where the text is cut before."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return -1


def split_at_commas(text: str) -> list[str]:
    """Parts between commas that are in no brackets; a blank part at the end is dropped."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth <= 0:  # below 0 by the `>` of an arrow or a comparison
            parts.append(text[start:i])
            start = i + 1
    last = text[start:]
    return [*parts, last] if last.strip() else parts
