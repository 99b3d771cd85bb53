"""A second opinion on the config delta, by CPython's own tree, and independent of the script that reads experiment files.

Reads a JSON list of [base, head, changes] from stdin: the files in base64, and the changes as [before, after, path, line].
Writes a JSON list with an error text for each pair whose code differs although the delta is none or knobs. It puts the
old values back into the head's tree, where the delta shows the new ones, and compares it with the base's tree.
"""

import ast
import base64
import json
import sys


def normal(node):
    """A tree as nested tuples: keywords, dict entries and neighbouring imports in an order of their own."""
    if isinstance(node, list):
        return tuple(normal(part) for part in statements(node))
    if not isinstance(node, ast.AST):
        return (type(node).__name__, ascii(node))
    if isinstance(node, ast.Dict):
        return ("Dict", entries(node))
    if isinstance(node, ast.Call):
        named = sorted(((k.arg, normal(k.value)) for k in node.keywords if k.arg), key=repr)
        spread = tuple(normal(k.value) for k in node.keywords if not k.arg)
        return ("Call", normal(node.func), normal(node.args), tuple(named), spread)
    fields = [(name, normal(value)) for name, value in ast.iter_fields(node) if name not in ("ctx", "kind", "type_comment")]
    return (type(node).__name__, *fields)


def entries(node):
    groups, group = [], []
    for key, value in zip(node.keys, node.values):
        if key is None:
            groups.extend([sorted(group, key=repr), ("**", normal(value))])
            group = []
        else:
            group.append((normal(key), normal(value)))
    return repr([*groups, sorted(group, key=repr)])


def statements(nodes):
    """Without what the compiler drops, and with each run of imports sorted by name."""
    found, imports = [], []
    for node in [*nodes, None]:
        if isinstance(node, ast.Pass) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                one = type(node)(**{**dict(ast.iter_fields(node)), "names": [alias]})
                imports.append(one)
            continue
        found.extend(sorted(imports, key=ast.dump))
        imports = []
        if node is not None:
            found.append(node)
    return found


def parsed(text):
    return ast.parse(text, mode="eval").body


class Replace(ast.NodeTransformer):
    """Gives each shown value of the head the old one again, at its line; what came is taken out, once for each row."""

    def __init__(self, changes, side):
        self.left = [(normal_of(before), normal_of(after), before, path, line) for before, after, path, line in changes]
        self.side = side

    def found(self, node, name=None):
        """The row for this value, if there is one. `name`: how its path has to end; None: in no keyword and no entry."""
        for row in self.left:
            value = row[1 if self.side == "head" else 0]
            is_here = self.side == "base" or node.lineno == row[4]
            is_named = row[3].endswith(name) if name else row[2] is not None and not row[3].endswith('"]')
            if value == normal(node) and is_here and is_named:
                self.left.remove(row)
                return row
        return None

    def put(self, node, name):
        """The value to put in the place, or None to take it out."""
        row = self.found(node, name)
        if row is None:
            return self.visit(node)
        return None if row[2] is None or self.side == "base" else parsed(row[2])

    def visit(self, node):
        row = self.found(node) if isinstance(node, ast.expr) and self.side == "head" else None
        return self.generic_visit_of(node) if row is None or row[2] is None else parsed(row[2])

    def generic_visit_of(self, node):
        if isinstance(node, ast.Call):
            node.func = self.visit(node.func)
            node.args = [self.visit(arg) for arg in node.args]
            for keyword in node.keywords:
                keyword.value = self.put(keyword.value, f".{keyword.arg}") if keyword.arg else self.visit(keyword.value)
            node.keywords = [keyword for keyword in node.keywords if keyword.value is not None]
            return node
        if isinstance(node, ast.Dict):
            pairs = [(k, self.visit(v) if k is None else self.put(v, end_of(k))) for k, v in zip(node.keys, node.values)]
            kept = [(k, v) for k, v in pairs if v is not None]
            node.keys, node.values = [k for k, _ in kept], [v for _, v in kept]
            return node
        return self.generic_visit(node)


def end_of(key):
    is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return f'["{key.value}"]' if is_text else f"[{''.join(ast.unparse(key).split())}]"


def normal_of(text):
    return None if text is None else normal(parsed(text))


def without_shown(data, changes, imports, side):
    tree = compile(data, "file", "exec", ast.PyCF_ONLY_AST)
    tree.body = [node for node in tree.body if not is_shown_import(node, imports)]
    return normal(Replace(changes, side).visit(tree))


def is_shown_import(node, imports):
    return isinstance(node, (ast.Import, ast.ImportFrom)) and len(node.names) == 1 and ast.unparse(node) in imports


def judge(base, head, changes):
    plain = [change for change in changes if not change[2].startswith(("import ", "from "))]
    imports = {text for change in changes if change not in plain for text in change[:2] if text}
    gone = [change for change in plain if change[1] is None]
    if without_shown(base, gone, imports, "base") != without_shown(head, [c for c in plain if c[1]], imports, "head"):
        return "the code differs"
    return None


def main():
    answers = []
    for base, head, changes in json.load(sys.stdin):
        base, head = base64.b64decode(base), base64.b64decode(head)
        try:
            compile(head, "file", "exec")
            answers.append(judge(base, head, changes))
        except (SyntaxError, ValueError, RecursionError) as error:
            answers.append(f"{type(error).__name__}: {error}")
    json.dump(answers, sys.stdout)


main()
