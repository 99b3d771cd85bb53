"""Plants one small mistake at a time in real Python files and asks suggest_fix.py for the correction.

Called with the path of suggest_fix.py, a seed and the files. Prints {"right", "wrong"}: how many corrections restored the
tree of the file, and the diffs of those that did not.
"""

import ast
import io
import json
import random
import re
import sys
import tokenize

SCRIPT, SEED, *FILES = sys.argv[1:]
BRACKETS, NAMES = 6, 4
UNCLOSED = re.compile(
    r"(?:closing parenthesis '.' does not match opening parenthesis )?'([([{])'(?: on line \d+| was never closed)?$"
)


def main():
    fixer = {}
    with open(SCRIPT) as file:
        exec(compile(file.read().replace("\nmain()\n", "\n"), SCRIPT, "exec"), fixer)
    random.seed(SEED)
    right, wrong = 0, []
    for path in FILES:
        with open(path) as file:
            text = file.read()
        tree = ast.dump(ast.parse(text))
        for slip, line, broken in [*brackets(text), *names(text, fixer["Source"](text))]:
            question = {"slip": slip, "line": line, "path": path, "text": broken, "definingFiles": [], "modules": []}
            try:
                answer = fixer["suggest"](question)
            except fixer["NoFix"]:
                continue
            if ast.dump(ast.parse(answer["text"])) == tree:
                right += 1
            else:
                wrong.append(answer["diff"])
    print(json.dumps({"right": right, "wrong": wrong}))


def brackets(text):
    """Takes a closing bracket out, where the interpreter then names the open one."""
    lines = text.split("\n")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    closing = [token for token in tokens if token.type == tokenize.OP and token.string in ")]}"]
    for token in random.sample(closing, min(BRACKETS, len(closing))):
        row, column = token.start
        broken = "\n".join([*lines[: row - 1], lines[row - 1][:column] + lines[row - 1][column + 1 :], *lines[row:]])
        try:
            compile(broken, "file", "exec")
        except SyntaxError as error:
            found = UNCLOSED.match(error.msg)
            if found is not None:
                yield {"kind": "bracket", "name": found[1], "function": "", "suggested": None}, error.lineno, broken


def names(text, source):
    """Misspells a name, an attribute or a keyword, with and without what the interpreter suggests."""
    nodes = list(ast.walk(ast.parse(text)))
    kinds = {
        "name": [(node, node.id) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)],
        "attribute": [(node, node.attr) for node in nodes if isinstance(node, ast.Attribute)],
        "keyword": [(node, node.arg) for node in nodes if isinstance(node, ast.keyword) and node.arg],
    }
    for kind, found in kinds.items():
        for node, word in random.sample(found, min(NAMES, len(found))):
            end = source.end(node) if kind == "attribute" else source.start(node) + len(word)
            start = end - len(word)
            misspelt = typo(word)
            if len(word) < 4 or misspelt == word or source.text[start:end].decode() != word:
                continue
            line = node.end_lineno if kind == "attribute" else node.lineno
            slip = {"kind": kind, "name": misspelt, "function": called(nodes, node)}
            for suggested in (word, None):
                yield {**slip, "suggested": suggested}, line, source.edited([(start, end, misspelt)])


def called(nodes, keyword):
    for node in nodes:
        if isinstance(node, ast.Call) and keyword in node.keywords:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            return f"{name}.__init__" if name[:1].isupper() else name
    return ""


def typo(word):
    at = random.randrange(1, len(word) - 1) if len(word) > 2 else 0
    other = random.choice("abcdefghijklmnopqrstuvwxyz")
    return random.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
            word[:at] + other + word[at + 1 :],
        ]
    )


main()
