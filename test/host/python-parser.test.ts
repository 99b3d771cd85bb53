import { describe, expect, it } from 'vitest';
import type { PyNode, PySyntax } from '../../src/domain/python-syntax.ts';
import { createPythonParser, PYTHON_FILE_CHARS_MAX } from '../../src/host/python-parser.ts';
import { loadWasm } from '../../src/host/python-wasm.ts';

const parser = await createPythonParser();

function all(node: PyNode): readonly PyNode[] {
  return [node, ...node.children.flatMap(all)];
}

/** The source of the first node of a kind. */
function first(syntax: PySyntax, kind: string): string | undefined {
  const node = all(syntax.root).find((one) => one.kind === kind);
  return node === undefined ? undefined : syntax.text.slice(node.start, node.end);
}

describe('a tree of our own', () => {
  it('has kinds, roles, offsets, lines and columns', () => {
    const syntax = parser.parse('# top\nrun(lr = 1)\n');
    const argument = all(syntax.root).find((node) => node.kind === 'keyword_argument');
    expect(argument).toMatchObject({ start: 10, end: 16, line: 2, column: 5, isNamed: true, isError: false });
    expect(argument?.children.map(({ kind, field, isNamed }) => [kind, field, isNamed])).toEqual([
      ['identifier', 'name', true],
      ['=', null, false],
      ['integer', 'value', true],
    ]);
    expect(syntax).toMatchObject({ hasErrors: false, refusal: null });
  });

  it.each([
    ['\uFEFFA = 12\n', '12'],
    ["S = '\u{1F680}'; A = 12\n", '12'],
    ["S = 'é\u0301\u{1D54F}'\r\nA = 12\r\n", '12'],
  ])('counts offsets as the text does: %j', (text, source) => {
    expect(first(parser.parse(text), 'integer')).toBe(source);
  });

  it('covers children by their parents, in the order of the text', () => {
    const check = (node: PyNode): void => {
      let from = node.start;
      for (const child of node.children) {
        expect(child.start).toBeGreaterThanOrEqual(from);
        expect(child.end).toBeLessThanOrEqual(node.end);
        from = child.end;
        check(child);
      }
    };
    check(
      parser.parse('class A[T = int](B):\n    def f(self, *a, b=(1,)): return f"{a!r:>{b}}", *c.d()\n').root,
    );
  });

  it('says where it had to guess', () => {
    const syntax = parser.parse('A = 1\nB = = 2\n');
    expect(syntax.hasErrors).toBe(true);
    expect(all(syntax.root).find((node) => node.isError)?.line).toBe(2);
  });
});

describe('what the grammar gets wrong is put right', () => {
  it('defaults of type parameters (PEP 696)', () => {
    const syntax = parser.parse('def f[T = dict[str, int], *Ts = *tuple[int]](a: T): pass\n');
    expect(syntax.hasErrors).toBe(false);
    const defaults = all(syntax.root).filter((node) => node.kind === 'type_default');
    expect(defaults.map(({ start, end }) => syntax.text.slice(start, end))).toEqual([
      '= dict[str, int]',
      '= *tuple[int]',
    ]);
    expect(defaults.map((node) => node.children[1]?.kind)).toEqual(['subscript', 'list_splat']);
  });

  it('a star before a chain belongs to all of it', () => {
    for (const text of ['f(a, *b.c())\n', 'f(*b.c())\n', 'f(a, *b.c() - {1}[0])\n']) {
      const splat = all(parser.parse(text).root).find((node) => node.kind === 'list_splat');
      expect(text.slice(splat?.start, splat?.end)).toBe(text.slice(text.indexOf('*'), -2));
    }
  });

  it('lines inside brackets may be indented less than their block', () => {
    const syntax = parser.parse("def f():\n    g('(', # ( '\na,\n  b)\n    h(1)\n");
    expect(syntax.hasErrors).toBe(false);
    expect(
      all(syntax.root)
        .filter((node) => node.kind === 'call')
        .map((node) => node.line),
    ).toEqual([2, 5]);
  });
});

describe('limits', () => {
  it('refuse a file that is too long, or nested too deep, and say so', () => {
    expect(parser.parse('A = 1\n'.repeat(PYTHON_FILE_CHARS_MAX / 6 + 1)).refusal).toMatchObject({
      line: 1,
    });
    expect(parser.parse(`A = 1\nB = ${'-'.repeat(50_000)}1\n`).refusal).toMatchObject({ line: 2 });
  });
});

describe('loading', () => {
  it('takes the bytes from wherever it is told, windows into larger buffers too', async () => {
    const asked: string[] = [];
    const other = await createPythonParser(async (name) => {
      asked.push(name);
      const bytes = await loadWasm(name);
      const larger = new Uint8Array(bytes.length + 10);
      larger.set(bytes, 5);
      return larger.subarray(5, 5 + bytes.length);
    });
    expect(asked.sort()).toEqual(['grammar', 'runtime']);
    expect(first(other.parse('A = 12\n'), 'integer')).toBe('12');
    expect(first(parser.parse('A = 13\n'), 'integer')).toBe('13');
  });

  it('fails loudly where the bytes are not the ones', async () => {
    await expect(createPythonParser(async () => new Uint8Array([1, 2, 3]))).rejects.toThrow();
  });
});
