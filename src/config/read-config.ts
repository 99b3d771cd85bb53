/** `.github/ferrybot.yml` in three stages: YAML with positions → schema → rules; problems are values with line and column. */

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { limits } from '../domain/limits.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { brokenRules } from './rules.ts';
import { configSchema, type LabConfig } from './schema.ts';

export type ConfigProblem = {
  readonly severity: 'error' | 'warning';
  /** Dotted path of the key, empty for the whole file. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

export type ConfigReading =
  | { readonly kind: 'valid'; readonly config: LabConfig; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

type Position = { readonly line: number; readonly column: number };
type Path = readonly (string | number)[];

/** Reads the text of a config. Never throws for what a person wrote; aliases are bounded, duplicate keys refused. */
export function readConfig(text: string): ConfigReading {
  if (text.length > limits.configCharactersMax) {
    return invalid([
      problem('', { line: 1, column: 1 }, `longer than ${limits.configCharactersMax} characters`),
    ]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    version: '1.2',
    schema: 'core',
  });
  if (document.errors.length > 0) {
    return invalid(document.errors.map((e) => problem('', at(lines, e.pos[0]), firstLine(e.message))));
  }
  const locate = (path: Path): Position => positionOf(document.contents, path, lines);
  const written = plainValueOf(document);
  if (!written.ok) return invalid([problem('', at(lines, firstAlias(document)), written.error)]);
  const parsed = configSchema.safeParse(written.value);
  if (!parsed.success) {
    return invalid(
      parsed.error.issues.map((i) => problem(dotted(i.path), locate(withUnknownKey(i)), i.message)),
    );
  }
  const broken = brokenRules(parsed.data).map((b) => ({
    ...problem(dotted(b.path), locate(b.path), b.message),
    severity: b.severity,
  }));
  if (broken.some((b) => b.severity === 'error')) return invalid(broken);
  return { kind: 'valid', config: parsed.data, warnings: broken };
}

/** The plain value. Aliases that name nothing or multiply beyond the limit are what yaml throws a ReferenceError for. */
function plainValueOf(document: ReturnType<typeof parseDocument>): Result<unknown, string> {
  try {
    const value: unknown = document.toJS({ maxAliasCount: limits.configAliasesMax });
    return ok(value);
  } catch (error) {
    if (error instanceof ReferenceError) return fail(firstLine(error.message));
    throw error;
  }
}

/** Where the first alias without an anchor stands, or else the first alias. */
function firstAlias(document: ReturnType<typeof parseDocument>): number {
  let first: number | null = null;
  let unresolved: number | null = null;
  visit(document, {
    Alias(_, alias) {
      first ??= offsetOf(alias);
      if (alias.resolve(document) === undefined) unresolved ??= offsetOf(alias);
    },
  });
  return unresolved ?? first ?? 0;
}

function invalid(problems: readonly ConfigProblem[]): ConfigReading {
  return { kind: 'invalid', problems };
}

function problem(path: string, position: Position, message: string): ConfigProblem {
  return { severity: 'error', path, ...position, message };
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** Zod reports an unknown key at its parent: the position that helps is the key itself. */
function withUnknownKey(issue: {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
}): Path {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  const key = issue.code === 'unrecognized_keys' ? issue.keys?.[0] : undefined;
  return key === undefined ? path : [...path, key];
}

function positionOf(root: unknown, path: Path, lines: LineCounter): Position {
  let node: unknown = root;
  let best: Position = { line: 1, column: 1 };
  for (const part of path) {
    const found = childOf(node, part);
    if (found === null) return best;
    best = at(lines, found.offset);
    node = found.value;
  }
  return best;
}

function childOf(
  node: unknown,
  part: string | number,
): { readonly value: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    return pair === undefined ? null : { value: pair.value, offset: offsetOf(pair.key) };
  }
  if (isSeq(node) && typeof part === 'number') {
    const item = node.items[part];
    return item === undefined ? null : { value: item, offset: offsetOf(item) };
  }
  return null;
}

function offsetOf(node: unknown): number {
  const range = (node as Node | null)?.range;
  return range?.[0] ?? 0;
}

function at(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
