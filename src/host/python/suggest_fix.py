"""Suggests the correction of a small mistake that ended a job: a misspelt name or key, a missing import, comma, colon or
closing bracket.

Reads {"slip", "path", "line", "modules", "text", "definingFiles"} as JSON from stdin, where `slip` is what the last line of the
traceback says, `line` is the line of the file `path` that it names, `text` is that file and `definingFiles` the files that may
define the name: the module that it is imported from, or all Python files. Prints {"kind": "fix", "text", "diff"} or
{"kind": "none", "reason"}. Nothing of the files is run.

The log is not trusted: it only says where to look. A correction follows from the files, and there is none where two
corrections are possible.
"""

import ast
import builtins
import difflib
import io
import json
import keyword
import re
import sys
import tokenize
import warnings

# A misspelling occurs in few places. A name that is used in many is probably intended.
PLACES_MAX = 10
# Beyond two letters it is another word.
LETTERS_MAX = 2
# Each attempt to insert a comma compiles the whole file.
ATTEMPTS_MAX = 24
# A closing bracket is tried in places of one bracket only, and each attempt parses the file.
BRACKET_ATTEMPTS_MAX = 100
LINE_CHARS_MAX = 400
# These can create names that the file does not show.
HIDING = {"exec", "globals", "__getattr__"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

BUILTINS = [name for name in dir(builtins) if not name.startswith("_")]
# The one import that every file of the field writes for this name; others, such as `nn` and `F`, have several.
WELL_KNOWN = {
    "np": "import numpy as np",
    "jnp": "import jax.numpy as jnp",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    **{name: f"import {name}" for name in ("numpy", "torch", "jax", "optax", "wandb", "yaml")},
}
MODULES = {name for name in sys.stdlib_module_names if not name.startswith("_")}


class NoFix(Exception):
    """`args[0]` is the reason."""


class Source:
    """A file with the byte offsets of its lines, as CPython counts them."""

    def __init__(self, text):
        self.text = text.encode("utf-8")
        self.starts = [0] + [match.end() for match in re.finditer(rb"\r\n|\r|\n", self.text)]

    def offset(self, line, column):
        return self.starts[line - 1] + column

    def start(self, node):
        return self.offset(node.lineno, node.col_offset)

    def end(self, node):
        return self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node):
        return self.text[self.start(node) : self.end(node)].decode("utf-8")

    def edited(self, edits):
        result, at = b"", 0
        for start, end, new in sorted(edits):
            result += self.text[at:start] + new.encode("utf-8")
            at = end
        return (result + self.text[at:]).decode("utf-8")


class Names(ast.NodeVisitor):
    """Where names are bound and used. A scope is the module, a function, a class, a lambda or a comprehension."""

    def __init__(self, tree):
        self.scopes = [tree]
        self.bound = []  # (name, scope)
        self.used = []  # (Name node, scopes from the module inwards)
        self.hides = False
        self.generic_visit(tree)

    def bind(self, name):
        if name in HIDING:
            self.hides = True
        if name is not None:
            self.bound.append((name, self.scopes[-1]))

    def inside(self, node, children):
        self.scopes.append(node)
        for child in children:
            self.visit(child)
        self.scopes.pop()

    def visit_Name(self, node):
        if node.id in HIDING:
            self.hides = True
        if isinstance(node.ctx, ast.Load):
            self.used.append((node, tuple(self.scopes)))
        else:
            self.bind(node.id)

    def visit_NamedExpr(self, node):
        self.visit(node.value)
        home = next(scope for scope in reversed(self.scopes) if not isinstance(scope, COMPREHENSIONS))
        self.bound.append((node.target.id, home))

    def visit_FunctionDef(self, node):
        self.bind(node.name)
        arguments = node.args
        every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        outside = list(node.decorator_list) + arguments.defaults + [one for one in arguments.kw_defaults if one]
        outside += [one.annotation for one in every if one.annotation] + ([node.returns] if node.returns else [])
        for child in outside:
            self.visit(child)
        self.scopes.append(node)
        for one in every:
            self.bind(one.arg)
        for child in getattr(node, "type_params", []) + node.body:
            self.visit(child)
        self.scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        for child in node.args.defaults + [one for one in node.args.kw_defaults if one]:
            self.visit(child)
        self.inside(node, [node.args, node.body])

    def visit_arg(self, node):
        self.bind(node.arg)

    def visit_ClassDef(self, node):
        self.bind(node.name)
        for child in node.decorator_list + node.bases + node.keywords:
            self.visit(child)
        self.inside(node, getattr(node, "type_params", []) + node.body)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == "*":
                self.hides = True
            else:
                self.bind(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_Global(self, node):
        for name in node.names:
            self.bind(name)

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node):
        self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node):
        self.bind(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs
    visit_TypeVar = visit_MatchAs
    visit_ParamSpec = visit_MatchAs
    visit_TypeVarTuple = visit_MatchAs

    def visit_MatchMapping(self, node):
        self.bind(node.rest)
        self.generic_visit(node)

    def comprehension(self, node):
        self.inside(node, list(ast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visible(self, scopes):
        """What a use in these scopes can mean. Names of a class are visible in its own body only."""
        return [
            name
            for name, home in self.bound
            if any(home is scope for scope in scopes)
            and (not isinstance(home, ast.ClassDef) or home is scopes[-1])
        ]


def letters_apart(one, other):
    """Inserted, removed, changed and swapped letters; None for more than LETTERS_MAX."""
    if abs(len(one) - len(other)) > LETTERS_MAX:
        return None
    before, row = [], list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        following = [i]
        for j, second in enumerate(other, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1] if row[-1] <= LETTERS_MAX else None


def is_like(name, other):
    """CPython's own measure for a suggestion: of a short name, two letters are nearly all."""
    apart = None if name == other else letters_apart(name, other)
    return apart is not None and 6 * apart <= len(name) + len(other) + 3


def only_near(name, names, suggested=None):
    """The one name that `name` can be a misspelling of. Letters outside ASCII may look like others in a diff.

    Among several, the interpreter's suggestion counts if it alone is the nearest.
    """
    apart = {one: letters_apart(name, one) for one in names if one != name and re.fullmatch(r"[\x21-\x7e]+", one)}
    near = {one: letters for one, letters in apart.items() if letters is not None}
    if len(near) > 1 and suggested is not None:
        least = min(near.values())
        near = {one: letters for one, letters in near.items() if letters == least}
        if suggested not in near:
            raise NoFix("several-candidates")
    if len(near) > 1:
        raise NoFix("several-candidates")
    if not near or not is_like(name, next(iter(near))):
        raise NoFix("no-candidate")
    return next(iter(near))


def agreed(slip, found, edits):
    """Older interpreters suggest nothing. A suggestion that differs from ours is not about this file."""
    if len(edits) > PLACES_MAX:
        raise NoFix("several-candidates")
    if slip.get("suggested") not in (None, found):
        raise NoFix("other-suggestion")
    return edits


def renamed(source, nodes, name):
    # Older interpreters give wrong places inside an f-string.
    if any(source.of(node) != node.id for node in nodes):
        raise NoFix("tree-unlike")
    return [(source.start(node), source.end(node), name) for node in nodes]


def parsed(source):
    """The tree of a file that CPython compiles."""
    try:
        compile(source.text, "file", "exec", 0, True)
        return ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NoFix("tree-unlike") from None


def fix_name(slip, source, line):
    """A name that the file binds nowhere: another name of the file, or a standard module that is not imported."""
    tree = parsed(source)
    names = Names(tree)
    name = slip["name"]
    uses = [(node, scopes) for node, scopes in names.used if node.id == name]
    if names.hides or name in BUILTINS or any(bound == name for bound, _ in names.bound):
        raise NoFix("tree-unlike")
    if not any(node.lineno == line for node, _ in uses):
        raise NoFix("tree-unlike")
    if len(uses) > PLACES_MAX:
        raise NoFix("several-candidates")
    seen = [[*names.visible(scopes), *BUILTINS] for _, scopes in uses]
    statement = f"import {name}" if name in MODULES else WELL_KNOWN.get(name)
    if statement is not None and not may_be_misspelt(name, tree, uses, seen):
        # The interpreter knows modules of the standard library only.
        return agreed(slip if name in MODULES else {}, name, [import_line(statement, source, tree)])
    meant = {only_near(name, visible, slip.get("suggested")) for visible in seen}
    if len(meant) > 1:
        raise NoFix("several-candidates")
    (found,) = meant
    return agreed(slip, found, renamed(source, [node for node, _ in uses], found))


def may_be_misspelt(name, tree, uses, seen):
    """Whether a module's name may be meant as a near name that the file knows. `np.ones` is not meant as `n.ones`."""
    bases = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    if all(any(node is base for base in bases) for node, _ in uses):
        used = {base.id for base in bases if isinstance(base, ast.Name)}
        seen = [[one for one in visible if one in used] for visible in seen]
    return any(is_like(name, one) for visible in seen for one in visible)


def import_line(statement, source, tree):
    """Among the file's own `import` lines in their order, otherwise above the first statement."""
    newline = "\r\n" if b"\r\n" in source.text else "\n"
    lines = source.text.splitlines()
    plain = [
        node
        for node in tree.body
        if isinstance(node, ast.Import) and node.lineno == node.end_lineno
        and lines[node.lineno - 1].strip() == source.of(node).encode()
    ]
    for node in plain:
        if source.of(node) > statement:
            return (source.start(node), source.start(node), f"{statement}{newline}")
    if plain:
        end = source.end(plain[-1])
        return (end, end, f"{newline}{statement}")
    body = tree.body[1:] if ast.get_docstring(tree, clean=False) is not None and len(tree.body) > 1 else tree.body
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda one: one.lineno)
        at = source.offset(first.lineno, 0)
        return (at, at, f"{statement}{newline}")
    return (len(source.text), len(source.text), f"{statement}{newline}")


def fix_imported_name(slip, source, line, definingFiles):
    """`from lab.module import nmae`: the one name of that module which is meant."""
    tree, module = parsed(source), parsed(definingFiles)
    aliases = [
        alias
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.lineno == line
        for alias in node.names
        if alias.name == slip["name"]
    ]
    offers = Names(module)
    offered = {name for name, home in offers.bound if home is module}
    if len(aliases) != 1 or slip["name"] in offered or offers.hides:
        raise NoFix("tree-unlike")
    (alias,) = aliases
    found = only_near(slip["name"], offered)
    start = source.start(alias)
    edit = (start, start + len(slip["name"].encode()), found)
    if alias.asname is not None:
        return agreed(slip, found, [edit])
    names = Names(tree)
    bound = [name for name, _ in names.bound]
    if found in bound or bound.count(slip["name"]) != 1:
        raise NoFix("tree-unlike")
    uses = [node for node, _ in names.used if node.id == slip["name"]]
    return agreed(slip, found, [edit, *renamed(source, uses, found)])


def fix_module(slip, source, line, modules):
    """`from lab.modul import name`: the one module of that package which is meant."""
    last = slip["name"].rpartition(".")[2]
    places = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom) and node.lineno == line and node.level == 0:
            written = re.match(r"from\s+([\w.]+)\s", source.of(node))
            if written is not None and written[1] == slip["name"]:
                places.append(source.start(node) + len(source.of(node)[: written.end(1)].encode()))
    if len(places) != 1 or last in modules:
        raise NoFix("tree-unlike")
    found = only_near(last, modules)
    suggested = slip["suggested"] and slip["suggested"].rpartition(".")[2]
    return agreed({"suggested": suggested}, found, [(places[0] - len(last.encode()), places[0], found)])


def bindings(tree):
    """Names that a file gives to something: variables, functions, parameters, and attributes that it sets."""
    set_here = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return set_here | {name for name, _ in Names(tree).bound}


def readable(definingFiles):
    """The trees of those files that can be read; another file's mistake is not the one that ended the job."""
    for source in definingFiles:
        try:
            yield parsed(source)
        except NoFix:
            pass


def fix_attribute(slip, source, line, definingFiles):
    """`config.wramup`: the name that the interpreter suggests, if it is the only such one that the files know."""
    tree = parsed(source)
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found = [node for node in attributes if node.attr == slip["name"]]
    if len(found) != 1 or found[0].end_lineno != line or slip["suggested"] is None:
        raise NoFix("tree-unlike")
    bound = set().union(*(bindings(one) for one in [tree, *readable(definingFiles)]))
    if slip["name"] in bound:
        raise NoFix("tree-unlike")
    known = bound | {node.attr for node in attributes}
    known |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg is not None}
    meant = only_near(slip["name"], known, slip["suggested"])
    end = source.end(found[0])
    return agreed(slip, meant, [(end - len(slip["name"].encode()), end, meant)])


def fix_keyword(slip, source, line, definingFiles):
    """`train(wramup=1)`: the one parameter of that function which is meant."""
    tree = parsed(source)
    name, function = slip["name"], slip["function"].split(".")
    found = [
        one
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.lineno <= line <= node.end_lineno
        for one in node.keywords
        if one.arg == name
    ]
    trees = [tree, *readable(definingFiles)]
    if len(function) > 1:
        classes = [node for one in trees for node in ast.walk(one) if isinstance(node, ast.ClassDef)]
        owners = [node for node in classes if node.name == function[-2]]
        trees = owners if len(owners) == 1 else []
    defined = [
        node
        for one in trees
        for node in ast.walk(one)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function[-1]
    ]
    if len(found) != 1 or len(defined) != 1 or defined[0].args.kwarg is not None:
        raise NoFix("tree-unlike")
    parameters = [one.arg for one in defined[0].args.args + defined[0].args.kwonlyargs]
    if name in parameters:
        raise NoFix("tree-unlike")
    meant = only_near(name, parameters, slip["suggested"])
    start = source.start(found[0])
    return agreed(slip, meant, [(start, start + len(name.encode()), meant)])


def fix_key(slip, source, line):
    """`table['wrmup']`: the one key that the file uses and that is meant."""
    keys, named = [], []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            named += [keyword.arg for keyword in node.keywords if keyword.arg is not None]
        strings = [node.slice] if isinstance(node, ast.Subscript) else node.keys if isinstance(node, ast.Dict) else []
        for one in strings:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                if source.of(one)[1:-1] == one.value and source.of(one)[0] in "'\"":
                    keys.append(one)
    found = [one for one in keys if one.value == slip["name"]]
    if len(found) != 1 or found[0].lineno != line or slip["name"] in named:
        raise NoFix("tree-unlike")
    meant = only_near(slip["name"], [*[one.value for one in keys], *named])
    return [(source.start(found[0]) + 1, source.end(found[0]) - 1, meant)]


def fix_sign(slip, source, line):
    """The one place in the line where a comma or a colon makes the file compile."""
    if compiles(source.text):
        raise NoFix("tree-unlike")
    try:
        start = source.starts[line - 1]
    except IndexError:
        raise NoFix("tree-unlike") from None
    shown = re.split(rb"[\r\n]", source.text[start:], maxsplit=1)[0].decode("utf-8")
    if len(shown) > LINE_CHARS_MAX:
        raise NoFix("tree-unlike")
    remark = re.search(r"(?:^|\s)#", shown)
    code = shown[: remark.start() if remark else None].rstrip()
    sign = "," if slip["kind"] == "comma" else ":"
    places = [len(code)]
    if sign == ",":
        between = [match.end() for match in re.finditer(r"[\w)\]}'\"](?=\s+[\w([{'\"])", shown)]
        places = between + (places if re.search(r"[\w)\]}'\"]$", code) else [])
    if len(places) > ATTEMPTS_MAX:
        raise NoFix("several-candidates")
    fitting = []
    for place in places:
        at = start + len(shown[:place].encode())
        after = source.text[:at] + sign.encode() + source.text[at:]
        if compiles(after) and (sign == ":" or is_bracketed(after, line, place)):
            fitting.append((at, at, sign))
    if len(fitting) != 1:
        raise NoFix("several-candidates" if fitting else "no-candidate")
    return fitting


CLOSING = {"(": ")", "[": "]", "{": "}"}
# What these return is never called: `print(len)(rates)` is not meant. `jit(f)(x)` is as likely as `jit(f(x))`.
VALUES = set("print len max min sum int float str bool list dict tuple set range sorted abs round repr".split())
# These words begin a statement, so no bracket encloses them.
STATEMENTS = {"def", "class", "return", "import", "while", "with", "try", "raise", "assert", "del", "pass", "global"}


def fix_bracket(slip, source, line):
    """The closing bracket, where every place that makes the file compile gives the same tree."""
    sign = slip["name"]
    tokens = tokens_of(source)
    opened, wrong = open_bracket(tokens)
    if opened is None or tokens[opened].string != sign or line not in (tokens[opened].start[0], wrong):
        raise NoFix("tree-unlike")
    trees = {}
    for place in places_in_bracket(tokens, opened):
        row, column = tokens[place].end
        at = source.starts[row - 1] + len(tokens[place].line.split("\n")[0][:column].encode())
        after = source.text[:at] + CLOSING[sign].encode() + source.text[at:]
        try:
            trees.setdefault(ast.dump(ast.parse(after)), (at, at, CLOSING[sign]))
        except (SyntaxError, ValueError):
            continue
    if len(trees) != 1:
        raise NoFix("several-candidates" if trees else "no-candidate")
    return list(trees.values())


def tokens_of(source):
    """All tokens up to where the tokenizer gives up, without line ends inside brackets and comments."""
    tokens = []
    try:
        for token in tokenize.tokenize(io.BytesIO(source.text).readline):
            if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING):
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        pass
    return tokens


def open_bracket(tokens):
    """The bracket that is not closed, and the line of the bracket that closes another kind; None at the end of the file."""
    stack = []
    for at, token in enumerate(tokens):
        if token.type != tokenize.OP:
            continue
        if token.string in CLOSING:
            stack.append(at)
        elif token.string in CLOSING.values():
            if not stack:
                return None, None
            if CLOSING[tokens[stack[-1]].string] != token.string:
                return stack[-1], token.start[0]
            stack.pop()
    return (stack[-1] if stack else None), None


def places_in_bracket(tokens, opened):
    """Tokens that the bracket, or one inside it, may be closed behind, up to where no expression can go on."""
    depth, places = 1, [opened]
    signs = [one.string for one in tokens[:opened] if one.type == tokenize.OP]
    outer = sum((one in CLOSING) - (one in CLOSING.values()) for one in signs)
    is_value = tokens[opened].string == "(" and tokens[opened - 1].string in VALUES
    for at in range(opened + 1, len(tokens)):
        token, before = tokens[at], tokens[at - 1]
        is_word = token.type in (tokenize.NAME, tokenize.NUMBER)
        if token.type == tokenize.ENDMARKER or token.string in STATEMENTS:
            break
        if is_word and not keyword.iskeyword(token.string) and ends_value(before):
            break
        if token.type == tokenize.OP:
            depth += (token.string in CLOSING) - (token.string in CLOSING.values())
        if depth == 0:
            break
        # A comma that ends a statement would make a tuple, which nobody means.
        is_last = at + 2 >= len(tokens) or tokens[at + 2].start[0] > tokens[at + 1].end[0]
        is_tuple = outer == 0 and at + 1 < len(tokens) and tokens[at + 1].string == "," and is_last
        is_called = at + 1 < len(tokens) and tokens[at + 1].string == "("
        if token.string.strip() and not (depth == 1 and (is_tuple or (is_value and is_called))):
            places.append(at)
        if len(places) > BRACKET_ATTEMPTS_MAX:
            raise NoFix("several-candidates")
    return places


def ends_value(token):
    """Whether no name or number can follow."""
    is_word = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
    return is_word or token.type == tokenize.NUMBER or token.string in CLOSING.values()


def is_bracketed(text, line, column):
    """Outside of brackets a comma makes a tuple, which is not what the interpreter asks for."""
    depth = 0
    for token in tokenize.tokenize(io.BytesIO(text).readline):
        if token.start >= (line, column):
            return depth > 0
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
    return False


def compiles(text):
    try:
        compile(text, "file", "exec", 0, True)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def suggest(question):
    slip, line = question["slip"], question["line"]
    source = Source(question["text"])
    definingFiles = [Source(text) for text in question["definingFiles"]]
    kind = slip["kind"]
    if kind == "name":
        edits = fix_name(slip, source, line)
    elif kind == "imported-name":
        edits = fix_imported_name(slip, source, line, definingFiles[0])
    elif kind == "module":
        edits = fix_module(slip, source, line, question["modules"])
    elif kind == "attribute":
        edits = fix_attribute(slip, source, line, definingFiles)
    elif kind == "keyword":
        edits = fix_keyword(slip, source, line, definingFiles)
    elif kind == "bracket":
        edits = fix_bracket(slip, source, line)
    elif kind == "key":
        edits = fix_key(slip, source, line)
    else:
        edits = fix_sign(slip, source, line)
    after = source.edited(edits)
    if not compiles(after.encode("utf-8")):
        raise NoFix("not-mended")
    return {"kind": "fix", "text": after, "diff": diff_of(question["path"], question["text"], after)}


def diff_of(path, before, after):
    old, new = (text.removesuffix("\n").split("\n") for text in (before, after))
    return "\n".join([*difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=2, lineterm=""), ""])


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20_000)
    try:
        answer = suggest(json.load(sys.stdin.buffer))
    except NoFix as none:
        answer = {"kind": "none", "reason": none.args[0]}
    except (RecursionError, MemoryError):
        answer = {"kind": "none", "reason": "tree-unlike"}
    print(json.dumps(answer))


main()
