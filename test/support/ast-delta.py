"""The values in which two versions of a Python file differ, by CPython's own ast: a second opinion on the config delta.

Reads a JSON list of [base, head] from stdin, writes a JSON list of sorted [before, after] source texts, or null where
the two differ in more than values. It pairs statements by position, so it is asked only about files whose statements
stay in place.
"""

import ast
import json
import sys


class Structural(Exception):
    pass


def is_filler(statement):
    if isinstance(statement, ast.Pass):
        return True
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)


def same(base, head):
    return ast.dump(base) == ast.dump(head)


def diff(base, head, report):
    if same(base, head):
        return
    if isinstance(base, (ast.Constant, ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.JoinedStr)):
        report(base, head)
    elif type(base) is not type(head):
        report(base, head)
    elif isinstance(base, ast.Call):
        diff_call(base, head, report)
    elif isinstance(base, ast.Dict):
        diff_named(pairs(base.keys, base.values), pairs(head.keys, head.values), report)
    elif isinstance(base, (ast.List, ast.Tuple)) and len(base.elts) == len(head.elts):
        for left, right in zip(base.elts, head.elts):
            diff(left, right, report)
    elif isinstance(base, (ast.Assign, ast.Return, ast.Expr, ast.AnnAssign)):
        header = [(name, value) for name, value in ast.iter_fields(base) if name != "value"]
        if any(ast.dump(ast.Tuple(as_list(value))) != ast.dump(ast.Tuple(as_list(getattr(head, name)))) for name, value in header if name != "type_comment" and name != "simple"):
            raise Structural
        diff(base.value, head.value, report)
    elif isinstance(base, ast.If):
        if not same(base.test, head.test) or base.orelse or head.orelse:
            raise Structural
        diff(ast.Module(base.body, []), ast.Module(head.body, []), report)
    elif isinstance(base, (ast.FunctionDef, ast.ClassDef, ast.Module)):
        if not isinstance(base, ast.Module):
            diff_header(base, head, report)
        left = [s for s in base.body if not is_filler(s)]
        right = [s for s in head.body if not is_filler(s)]
        if len(left) != len(right):
            raise Structural
        for one, other in zip(left, right):
            diff(one, other, report)
    else:
        raise Structural


def diff_header(base, head, report):
    if base.name != head.name or len(base.decorator_list) != len(head.decorator_list):
        raise Structural
    for left, right in zip(base.decorator_list, head.decorator_list):
        diff(left, right, report)
    if isinstance(base, ast.ClassDef):
        if [ast.dump(one) for one in base.bases] != [ast.dump(one) for one in head.bases]:
            raise Structural
        return
    for before, after in [(base.args.defaults, head.args.defaults), (base.args.kw_defaults, head.args.kw_defaults)]:
        if len(before) != len(after):
            raise Structural
        for left, right in zip(before, after):
            if (left is None) != (right is None):
                raise Structural
            if left is not None:
                diff(left, right, report)


def as_list(value):
    return value if isinstance(value, list) else [value] if isinstance(value, ast.AST) else []


def pairs(keys, values):
    return {ast.dump(key): value for key, value in zip(keys, values)}


def diff_call(base, head, report):
    if not same(base.func, head.func) or len(base.args) != len(head.args):
        raise Structural
    for left, right in zip(base.args, head.args):
        diff(left, right, report)
    diff_named({k.arg: k.value for k in base.keywords}, {k.arg: k.value for k in head.keywords}, report)


def diff_named(base, head, report):
    for name in [*base, *(name for name in head if name not in base)]:
        if name in base and name in head:
            diff(base[name], head[name], report)
        else:
            report(base.get(name), head.get(name))


def judge(base_text, head_text):
    found = []

    def text(node, source):
        return None if node is None else ast.get_source_segment(source, node)

    try:
        diff(ast.parse(base_text), ast.parse(head_text), lambda b, h: found.append([text(b, base_text), text(h, head_text)]))
    except Structural:
        return None
    return sorted(found, key=repr)


json.dump([judge(*pair) for pair in json.load(sys.stdin)], sys.stdout)
