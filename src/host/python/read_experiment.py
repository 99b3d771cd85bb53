"""Reads one experiment file: its settings, and the code that remains without them.

stdin: the bytes of the file. stdout: one JSON object, {"kind": "read", ...} or {"kind": "unparsable", ...}
(the types are in src/domain/launch/change-facts.ts). Nothing of the file is run.

A setting is a value from a closed list (`Reader.key_of`) in a place from a closed list (the callers of
`Reader.setting`). Everything else goes into the code: one digest for each statement, in an order that does not depend on
the order of keywords, dict entries and neighbouring imports. Two files with equal code differ in settings only.
"""

import ast
import codecs
import hashlib
import json
import os
import re
import sys
import warnings

FILE_BYTES_MAX = 500_000
# Only the walk below recurses this deep; CPython refuses deeper trees by itself.
RECURSION_MAX = 50_000
KEY_CHARS_MAX = 32
DIGEST_CHARS = 32
NAME_CHARS_MAX = 40

UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.DOTALL)

CONVERSIONS = {"int", "float", "str", "bool"}
LOOKUPS = {"os.environ.get", "os.getenv"}
# Functions that take a string as code or as a name.
EVALUATORS = {"eval", "exec", "compile", "__import__", "import_module", "getattr"}
# Code whatever it holds: what is assigned to, what decides about a class or a function, and what no position is known of.
FROZEN_FIELDS = {"target", "targets", "optional_vars", "annotation", "returns", "bases", "type_params", "pattern"}
FROZEN_NODES = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr", "NamedExpr") if hasattr(ast, name))
SKIPPED_FIELDS = {"ctx", "kind", "type_comment"}
CONTAINERS = (ast.List, ast.Tuple, ast.Set)


class Unparsable(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line
        self.message = message


def parse(data):
    """The tree of a file that CPython runs as it is shown. Raises Unparsable for every other one."""
    if len(data) > FILE_BYTES_MAX:
        raise Unparsable(1, f"the file is longer than {FILE_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unparsable(data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8") from None
    found = UNREADABLE.search(text)
    if found:
        sign = f"U+{ord(found[0]):04X}"
        raise Unparsable(text.count("\n", 0, found.start()) + 1, f"{sign} is not allowed in an experiment file")
    for at, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n", 2)[:2]):
        cookie = COOKIE.match(line)
        if cookie and not is_utf8(cookie[1].decode()):
            raise Unparsable(at + 1, "the file declares an encoding other than UTF-8")
    try:
        tree = compile(data, "file", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        # Only the compiler refuses a repeated keyword, or a return outside of a function.
        compile(data, "file", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Unparsable(max(1, error.lineno or 1), str(error.msg)) from None
    return text, tree


def is_utf8(name):
    try:
        return codecs.lookup(name).name == "utf-8"
    except LookupError:
        return False


class Positions:
    """Offsets of JavaScript strings (UTF-16 units) for CPython's lines and byte columns."""

    def __init__(self, data, text):
        self.lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
        self.starts = []
        self.tables = {}
        offset = 1 if text.startswith("\ufeff") else 0
        for line in self.lines:
            self.starts.append(offset)
            offset += 1 + (len(line) if line.isascii() else len(line.decode().encode("utf-16-le")) // 2)

    def at(self, line, column):
        source = self.lines[line - 1]
        if source.isascii():
            return self.starts[line - 1] + column
        if line not in self.tables:
            self.tables[line] = self.table(source)
        return self.starts[line - 1] + self.tables[line][column]

    @staticmethod
    def table(source):
        table, units = [], 0
        for letter in source.decode():
            table.extend([units] * len(letter.encode()))
            units += 2 if letter > "\uffff" else 1
        return [*table, units]

    def source(self, node):
        return self.lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()


def dotted(node):
    """`a.b.c` of a name or of attributes of a name, else None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def last(name):
    return name.rpartition(".")[2]


def short(key):
    return key if len(key) <= KEY_CHARS_MAX else digest(key)


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARS]


def constant_key(value):
    """Equal for constants of the same type and the same value, and for no others."""
    if isinstance(value, float):
        spelled = value.hex()
    elif isinstance(value, int) and not isinstance(value, bool):
        spelled = hex(value)
    else:
        spelled = ascii(value)
    return short(f"{type(value).__name__} {spelled}")


def is_number(node):
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def literal(node):
    """What Python compares dict keys by, and None for a key that is no literal."""
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.UnaryOp) and is_number(node.operand):
        return (-node.operand.value if isinstance(node.op, ast.USub) else node.operand.value,)
    if isinstance(node, ast.Tuple):
        parts = [literal(part) for part in node.elts]
        return None if None in parts else (tuple(part[0] for part in parts),)
    return None


class Reader:
    def __init__(self, text, data, tree):
        self.positions = Positions(data, text)
        self.keys = {}
        self.settings = []
        self.places = []
        self.paths = {}
        self.code = []
        self.tokens = []
        self.names = set()
        self.frozen = 0
        self.ordered = False
        self.called, self.evaluated, self.shows_docstrings = facts_of(tree)
        self.block(tree.body, "", "body", 0)

    # Values

    def key_of(self, node):
        """The value's identity, or None for an expression whose text is not all that it does."""
        if id(node) not in self.keys:
            self.keys[id(node)] = self.new_key(node)
        return self.keys[id(node)]

    def new_key(self, node):
        if isinstance(node, ast.Constant):
            return constant_key(node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = dotted(node)
            return name and short(f"name {name}")
        if isinstance(node, (ast.UnaryOp, ast.BinOp)):
            return self.arithmetic_key(node)
        if isinstance(node, ast.Call):
            return self.call_key(node)
        if isinstance(node, CONTAINERS):
            parts = [self.key_of(part) for part in node.elts]
            return None if None in parts else short(f"{type(node).__name__} {parts}")
        if isinstance(node, ast.Dict):
            return self.dict_key(node)
        return None

    def arithmetic_key(self, node):
        if isinstance(node, ast.UnaryOp):
            is_signed = isinstance(node.op, (ast.USub, ast.UAdd)) and is_number(node.operand)
            operands = [node.operand] if is_signed else []
        else:
            operands = [node.left, node.right]
            if isinstance(node.op, ast.MatMult) or not all(map(self.is_operand, operands)):
                operands = []
        parts = [self.key_of(operand) for operand in operands]
        return short(f"{type(node.op).__name__} {parts}") if parts and None not in parts else None

    def is_operand(self, node):
        return is_number(node) or isinstance(node, (ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute))

    def call_key(self, node):
        name = dotted(node.func)
        most = 1 if name in CONVERSIONS else 2 if name in LOOKUPS else 0
        if node.keywords or not 1 <= len(node.args) <= most or any(isinstance(arg, (*CONTAINERS, ast.Dict)) for arg in node.args):
            return None
        parts = [self.key_of(arg) for arg in node.args]
        return None if None in parts else short(f"call {name} {parts}")

    def dict_key(self, node):
        entries = [(self.entry_key(key), self.key_of(value)) for key, value in zip(node.keys, node.values)]
        if any(None in entry for entry in entries):
            return None
        return short(f"Dict {entries}" if has_repeats(node.keys) else f"dict {sorted(entries)}")

    def entry_key(self, key):
        """The identity of a dict's key; None where the key is computed."""
        if isinstance(key, ast.Tuple):
            parts = [self.entry_key(part) for part in key.elts]
            return None if None in parts else short(f"Tuple {parts}")
        if isinstance(key, (ast.Constant, ast.UnaryOp, ast.Name, ast.Attribute)):
            return self.key_of(key)
        return None

    def value_of(self, node):
        value = {
            "text": self.shown(node),
            "same": self.key_of(node),
            "start": self.positions.at(node.lineno, node.col_offset),
            "end": self.positions.at(node.end_lineno, node.end_col_offset),
            "line": node.lineno,
        }
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                value["isString"] = True
            return value
        names = sorted({name for part in ast.walk(node) for name in identifiers(part)})
        if names:
            value["names"] = names
        entries = self.entries_of(node)
        if entries is not None:
            value["entries"] = entries
            value["container"] = type(node).__name__.lower()
        return value

    def entries_of(self, node):
        """The parts of a value that are settings of their own: of a dict, and of a list that has dicts in it."""
        if isinstance(node, ast.Dict) and not has_repeats(node.keys):
            return [
                {"key": self.entry_key(key), **self.named(key), **self.value_of(value)}
                for key, value in zip(node.keys, node.values)
            ]
        if isinstance(node, (ast.List, ast.Tuple)):
            parts = [{"key": str(at), "segment": f"[{at}]", **self.value_of(part)} for at, part in enumerate(node.elts)] if holds_dict(node) else []
            return parts or None
        return None

    def named(self, key):
        """How a dict's key is written in a path, and the name of its setting where that is the key itself."""
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return {"segment": f"[{''.join(ast.unparse(key).split())}]"}
        name = key.value
        if not is_encodable(name):
            return {"segment": f"[{json.dumps(name)}]"}
        segment = {"segment": f"[{json.dumps(name, ensure_ascii=False)}]"}
        return {**segment, "knob": name} if name else segment

    def shown(self, node):
        """The source text where it is one line that says the same value by itself, else CPython's spelling."""
        if node.lineno == node.end_lineno:
            source = self.positions.source(node)
            if self.says(source, node):
                return source
        text = ast.unparse(node)
        if "\n" in text:
            raise Unparsable(node.lineno, "a value cannot be shown in one line")
        return text

    def says(self, source, node):
        if isinstance(node, ast.Name) and source == node.id:
            return True
        if isinstance(node, ast.Constant) and source == repr(node.value):
            return True
        try:
            tree = compile(source, "value", "eval", ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        # Not memoised: the tree is gone afterwards, and another one may get its addresses.
        kept, self.keys = self.keys, {}
        same = self.key_of(tree.body)
        self.keys = kept
        return same == self.key_of(node)

    # Settings and their places

    def place(self, line, path):
        """A container of settings. The n-th one with the same path is called `path#n`."""
        count = self.paths[path] = self.paths.get(path, 0) + 1
        self.places.append(line)
        return len(self.places) - 1, path if count == 1 else f"{path}#{count}"

    def is_setting(self, node, *names):
        """Whether a value in a setting's place is one. `names`: what the place is called."""
        if self.frozen or self.key_of(node) is None:
            return False
        if self.called.isdisjoint(names) and self.evaluated.isdisjoint(names):
            return True
        held = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Constant))]
        holds_name = any(isinstance(part, ast.Name) for part in held)
        holds_text = any(isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)) for part in held)
        is_called = holds_name and not self.called.isdisjoint(names)
        return not is_called and not ((holds_name or holds_text) and not self.evaluated.isdisjoint(names))

    def setting(self, node, place, key, path, knob, **more):
        self.settings.append({"place": place, "key": key, "path": path, "knob": knob, **more, **self.value_of(node)})

    def hole(self, node, place, key, path, knob):
        """A setting that can change, but neither come nor go."""
        self.tokens.append("setting")
        self.setting(node, place, key, path, knob)

    # Code: expressions

    def expression(self, node, path="", below=False):
        """`path` leads to the expression; `below`: it is part of what stands in a setting's place."""
        if isinstance(node, ast.Call):
            self.call(node, path, below)
        elif isinstance(node, ast.Dict):
            self.dict(node, path)
        elif isinstance(node, ast.Constant):
            self.tokens.append(constant_key(node.value))
        elif isinstance(node, ast.arguments):
            self.arguments(node, path)
        elif isinstance(node, CONTAINERS):
            self.tokens.append(f"{type(node).__name__} {len(node.elts)}")
            for at, part in enumerate(node.elts):
                self.expression(part, f"{path}[{at}]", below)
        elif isinstance(node, ast.comprehension):
            self.fields(node, joined(path, dotted(node.target) or ""), below)
        elif isinstance(node, FROZEN_NODES):
            self.freeze(self.fields, node, path)
        else:
            self.fields(node, path, below)

    def freeze(self, visit, *args):
        self.frozen += 1
        visit(*args)
        self.frozen -= 1

    def fields(self, node, path="", below=False, but=()):
        self.tokens.append(type(node).__name__)
        for field, value in ast.iter_fields(node):
            if field in SKIPPED_FIELDS or field in but:
                continue
            if field in FROZEN_FIELDS:
                self.freeze(self.field, value, path, False)
            else:
                self.field(value, path, below)

    def field(self, value, path, below):
        if isinstance(value, list):
            self.tokens.append(str(len(value)))
            for part in value:
                self.field(part, path, below)
        elif isinstance(value, ast.AST):
            self.expression(value, path, below)
        else:
            if isinstance(value, str):
                self.names.add(value)
            self.tokens.append(constant_key(value))

    def call(self, node, path, below):
        name = callee(node.func)
        place, inner = self.place(node.lineno, f"{joined(path, name)}()")
        self.tokens.append(f"Call {len(node.args)}")
        self.expression(node.func, path, below)
        self.frozen += evaluates(node)
        has_name = dotted(node.func) is not None
        for at, arg in enumerate(node.args):
            if below and has_name and self.is_setting(arg):
                self.hole(arg, place, f"[{at}]", f"{inner}[{at}]", f"{last(name)}()[{at}]")
            else:
                self.expression(arg, f"{inner}[{at}]", below)
        self.keywords(node.keywords, place, inner)
        self.frozen -= evaluates(node)

    def keywords(self, keywords, place, path):
        """Named ones may come, go and change their order; expansions may not."""
        named = [keyword for keyword in keywords if keyword.arg is not None]
        for keyword in named if self.ordered else sorted(named, key=lambda one: one.arg):
            name = keyword.arg
            inner = f"{path}.{name}"
            if name != "metaclass" and self.is_setting(keyword.value, name):
                if self.ordered:
                    self.tokens.append(f"keyword {name}")
                    self.hole(keyword.value, place, name, inner, name)
                else:
                    self.setting(keyword.value, place, name, inner, name)
            else:
                self.names.add(name)
                self.tokens.append(f"keyword {name}")
                self.expression(keyword.value, inner, True)
        for keyword in keywords:
            if keyword.arg is None:
                self.tokens.append("**")
                self.expression(keyword.value, path, True)
        self.tokens.append(")")

    def dict(self, node, path):
        place, path = self.place(node.lineno, path)
        keys = [key if key is None else self.entry_key(key) for key in node.keys]
        computed = any(key is None and node.keys[at] is not None for at, key in enumerate(keys))
        fixed = self.ordered or computed or has_repeats(node.keys)
        side = 0
        entries = []
        for at, key in enumerate(node.keys):
            side += key is None
            entries.append((side, key is not None, keys[at] or "", at))
            side += key is None
        self.tokens.append(f"Dict {side}")
        for side, is_entry, key, at in entries if fixed else sorted(entries):
            self.entry(node, at, (place, path, fixed), side if is_entry else None)
        self.tokens.append("}")

    def entry(self, node, at, container, side):
        place, path, fixed = container
        node_key, value = node.keys[at], node.values[at]
        if side is None:
            self.tokens.append("**")
            self.expression(value, path, True)
            return
        key = self.entry_key(node_key)
        named = self.named(node_key) if key is not None else {"segment": "[…]"}
        inner = path + named["segment"]
        knob = named.get("knob") or last(path) + named["segment"]
        is_setting = key is not None and self.is_setting(value, knob)
        if is_setting and not fixed:
            self.setting(value, place, key, inner, knob, side=side)
            return
        self.tokens.append("entry")
        self.expression(node_key, path)
        if is_setting:
            self.hole(value, place, f"{at}", inner, knob)
        else:
            self.expression(value, inner, True)

    def arguments(self, node, path):
        self.tokens.append("arguments")
        for group in (node.posonlyargs, node.args, node.kwonlyargs, [node.vararg], [node.kwarg]):
            self.tokens.append(str(len(group)))
            for arg in group:
                if arg is not None:
                    self.names.add(arg.arg)
                self.tokens.append("" if arg is None else arg.arg)
                if arg is not None and arg.annotation is not None:
                    self.tokens.append(":")
                    self.freeze(self.expression, arg.annotation)
        positional = [*node.posonlyargs, *node.args]
        given = positional[len(positional) - len(node.defaults) :]
        self.tokens.append(str(len(given)))
        for arg, default in [*zip(given, node.defaults), *zip(node.kwonlyargs, node.kw_defaults)]:
            if default is None:
                self.tokens.append("no default")
            else:
                self.target(default, joined(path, arg.arg), arg.arg)

    # Code: statements

    def begin(self, node, branch, depth, start=None):
        self.end()
        self.line = node.lineno
        self.ordered = any(isinstance(part, ast.NamedExpr) for part in header_parts(node))
        self.record = {
            "line": node.lineno,
            "start": self.positions.at(node.lineno, node.col_offset) if start is None else start,
            "end": self.positions.at(node.end_lineno, node.end_col_offset),
        }
        self.tokens = [f"{depth} {branch}"]

    def end(self):
        if self.tokens:
            self.code.append({**self.record, "same": digest("\0".join(self.tokens))})
        self.tokens = []

    def block(self, statements, path, branch, depth):
        imports = []
        for at, statement in enumerate(statements):
            if self.is_idle(statement, at == 0):
                continue
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                imports.append(statement)
                continue
            self.imports(imports, branch, depth)
            imports = []
            self.statement(statement, path, branch, depth)
        self.imports(imports, branch, depth)
        self.end()

    def is_idle(self, statement, is_first):
        if isinstance(statement, ast.Pass):
            return True
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
            return False
        return not (is_first and self.shows_docstrings and isinstance(statement.value.value, str))

    def imports(self, statements, branch, depth):
        """Neighbouring imports: one record for each name, sorted where their order cannot matter."""
        found = [(*spelled(statement, alias), statement) for statement in statements for alias in statement.names]
        bound = [name for _, name, _ in found]
        is_free = len(set(bound)) == len(bound) and "*" not in bound
        if is_free and not any(getattr(one, "module", "") == "__future__" for one in statements):
            found.sort(key=lambda one: one[0])
        for text, name, statement in found:
            self.begin(statement, branch, depth)
            self.tokens.append(text)
            if depth == 0:
                self.record["imports"] = {"name": name, "text": text}
        self.end()

    def statement(self, node, path, branch, depth):
        for decorator in getattr(node, "decorator_list", []):
            line = decorator.lineno
            self.begin(decorator, branch, depth, self.positions.at(line, 0))
            self.tokens.append("@")
            self.freeze(self.expression, decorator)
        self.begin(node, branch, depth)
        blocks = [(field, value) for field, value in ast.iter_fields(node) if field in BLOCKS]
        visit = getattr(self, f"visit_{type(node).__name__}", None)
        if visit:
            visit(node, path)
        else:
            self.fields(node, path, but=BLOCKS)
        self.tokens.extend(f"{field} {bool(value)}" for field, value in blocks)
        inner = joined(path, node.name) if isinstance(node, DEFINITIONS) else path
        for field, value in blocks:
            if field in ("handlers", "cases"):
                for part in value:
                    self.part(part, inner, field, depth + 1)
            else:
                self.block(value, inner, field, depth + 1)
        self.end()

    def part(self, node, path, branch, depth):
        """A handler of a `try`, or a case of a `match`."""
        if isinstance(node, ast.match_case):
            start = self.positions.at(node.pattern.lineno, 0)
            node.lineno, node.end_lineno, node.end_col_offset = node.pattern.lineno, node.body[-1].end_lineno, node.body[-1].end_col_offset
        else:
            start = None
        self.begin(node, branch, depth, start)
        self.fields(node, path, but=BLOCKS)
        self.block(node.body, path, "body", depth + 1)

    def visit_Assign(self, node, path):
        self.tokens.append(f"Assign {len(node.targets)}")
        for target in node.targets:
            self.freeze(self.expression, target)
        for targets, value in pairs(node):
            names = [dotted(target) for target in targets]
            if None in names:
                self.expression(value, joined(path, callee(targets[0])))
            else:
                self.target(value, joined(path, names[0]), *map(last, names))

    def target(self, value, path, *names):
        if self.is_setting(value, *names):
            place, path = self.place(self.line, path)
            self.hole(value, place, "=", path, names[0])
        else:
            self.expression(value, path, True)

    def visit_AnnAssign(self, node, path):
        self.tokens.append(f"AnnAssign {node.simple} {node.value is not None}")
        self.freeze(self.expression, node.target)
        self.freeze(self.expression, node.annotation)
        name = dotted(node.target)
        if node.value is not None and name is not None:
            self.target(node.value, joined(path, name), last(name))
        elif node.value is not None:
            self.expression(node.value, joined(path, callee(node.target)))

    def visit_AugAssign(self, node, path):
        self.tokens.append(f"AugAssign {type(node.op).__name__}")
        self.freeze(self.expression, node.target)
        name = dotted(node.target)
        if name is None:
            self.expression(node.value, joined(path, callee(node.target)))
        else:
            self.target(node.value, joined(path, name), last(name))

    def visit_FunctionDef(self, node, path):
        inner = joined(path, node.name)
        self.names.add(node.name)
        self.tokens.append(f"{type(node).__name__} {node.name}")
        self.arguments(node.args, inner)
        self.freeze(self.field, [node.returns, getattr(node, "type_params", [])], inner, False)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node, path):
        self.names.add(node.name)
        self.tokens.append(f"ClassDef {node.name}")
        self.freeze(self.field, [node.bases, getattr(node, "type_params", [])], path, False)
        place, inner = self.place(node.lineno, joined(path, node.name))
        self.keywords(node.keywords, place, inner)

    def visit_For(self, node, path):
        self.tokens.append(type(node).__name__)
        self.freeze(self.expression, node.target)
        self.expression(node.iter, joined(path, callee(node.target)))

    visit_AsyncFor = visit_For


BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def header_parts(node):
    """All nodes of a statement, but for those of the statements in its blocks."""
    waiting = [value for field, value in ast.iter_fields(node) if field not in BLOCKS]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, ast.AST):
            yield part
            waiting.extend(ast.iter_child_nodes(part))


def pairs(node):
    """An assignment as (targets, value) pairs: `A, B = 1, 2` is two."""
    target, value = node.targets[0], node.value
    is_unpacked = len(node.targets) == 1 and isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
    if is_unpacked and len(target.elts) == len(value.elts) and all(map(dotted, target.elts)) and not any(isinstance(one, ast.Starred) for one in value.elts):
        return [([name], part) for name, part in zip(target.elts, value.elts)]
    return [(node.targets, value)]


def spelled(statement, alias):
    """An import of one name as text, and the name that it binds."""
    renamed = f" as {alias.asname}" if alias.asname else ""
    if isinstance(statement, ast.Import):
        return f"import {alias.name}{renamed}", alias.asname or alias.name.partition(".")[0]
    module = "." * statement.level + (statement.module or "")
    return f"from {module} import {alias.name}{renamed}", alias.asname or alias.name


def has_repeats(keys):
    found = [literal(key) or ast.dump(key) for key in keys if key is not None]
    return len(set(found)) < len(found)


def holds_dict(node):
    return any(isinstance(part, ast.Dict) or isinstance(part, (ast.List, ast.Tuple)) and holds_dict(part) for part in node.elts)


def identifiers(node):
    if isinstance(node, ast.Name):
        return [node.id]
    return [node.attr] if isinstance(node, ast.Attribute) else []


def is_encodable(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def joined(path, name):
    return f"{path}.{name}" if path and name else path or name


def callee(node):
    """What is called or assigned to, as a part of a path. Arguments are left out: they are settings or code of their own."""
    parts = []
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            parts.append(f".{node.attr}")
        elif isinstance(node, ast.Call):
            parts.append("()")
        else:
            parts.append(f"[{''.join(ast.unparse(node.slice).split())[:NAME_CHARS_MAX]}]")
        node = node.func if isinstance(node, ast.Call) else node.value
    root = node.id if isinstance(node, ast.Name) else f"({''.join(ast.unparse(node).split())[:NAME_CHARS_MAX]})"
    return root + "".join(reversed(parts))


def evaluates(call):
    """Whether a call takes a string as code: `exec(...)`, and also `map(exec, ...)`."""
    return any(last(dotted(part) or "") in EVALUATORS for part in [call.func, *call.args])


def facts_of(tree):
    """Names that the file calls, names whose value it takes as code, and whether it reads docstrings."""
    called, evaluated, shows_docstrings = set(), set(), False
    for node in ast.walk(tree):
        functions = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
        functions = [*functions, *(node.bases if isinstance(node, ast.ClassDef) else [])]
        called.update(last(name) for name in map(dotted, functions) if name)
        if isinstance(node, ast.Call) and evaluates(node):
            evaluated.update(name for part in ast.walk(node) for name in identifiers(part))
        shows_docstrings |= "__doc__" in identifiers(node)
        shows_docstrings |= isinstance(node, ast.Constant) and isinstance(node.value, str) and "__doc__" in node.value
    return called, evaluated - EVALUATORS, shows_docstrings


def read(data):
    limit = sys.getrecursionlimit()
    try:
        text, tree = parse(data)
        sys.setrecursionlimit(RECURSION_MAX)
        reader = Reader(text, data, tree)
    except Unparsable as error:
        return {"kind": "unparsable", "line": error.line, "message": error.message}
    except (ValueError, OverflowError, MemoryError, RecursionError) as error:
        return {"kind": "unparsable", "line": 1, "message": str(error) or "the file is too complex"}
    finally:
        sys.setrecursionlimit(limit)
    return {
        "kind": "read",
        "settings": reader.settings,
        "containerLines": reader.places,
        "code": reader.code,
        "names": sorted(reader.names),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(read(sys.stdin.buffer.read()), separators=(",", ":")), flush=True)
    # The interpreter would take the tree apart piece by piece.
    os._exit(0)
