/** What is wrong with a config: where, which kind, and what a person can do about it. */

/** Kinds of problem that scripts may match on; each rule across keys has one of its own. */
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export const PROBLEM_CODES = [
  'too-long',
  'empty',
  'not-utf8',
  'control-character',
  'byte-order-mark',
  'syntax',
  'tab',
  'duplicate-key',
  'multiple-documents',
  'alias',
  'tag',
  'merge-key',
  'not-a-name',
  'unknown-key',
  'missing-key',
  'wrong-type',
  'bad-value',
  'cluster-unknown',
  'cluster-unlaunchable',
  'cluster-unreachable',
  'cluster-file-missing',
  'program-of-the-change',
  'scope-builds',
  'not-in-fix-scope',
  'fixer-without-scope',
  'pre-approved-trains',
  'thresholds-order',
  'scan-not-dry',
  'disk-nowhere',
  'tunnel-to-nowhere',
  'scripts-alone',
  'cost-over-budget',
  'quorum-order',
  'role-without-key',
  'role-without-key-now',
  'key-ends-soon',
  'key-gap',
  'key-window',
  'doubled',
  'not-in-scope',
  'not-shipped',
  'not-python',
  'pattern-in-path',
  'scope-guards',
  'log-shipped',
  'log-in-scope',
  'run-undated',
  'run-name-shared',
  'output-shared',
  'metrics-shared',
  'checkpoints-shared',
  'placeholder-unknown',
  'placeholder-alone',
  'placeholder-missing',
  'tracker-unnamed',
  'secret-name',
  'secret-value',
  'reserved-name',
  'passed-and-set',
  'own-command',
  'own-check',
  'one-workflow',
  'bad-branch',
  'branch-conflict',
  'bad-link',
  'outside-folder',
  'candidate-scales',
  'outcome-as-precondition',
  'no-metrics',
  'not-counted',
] as const;

export type ConfigProblem = {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  /** Dotted path of the key, empty for the whole file. */
  readonly path: string;
  /** 1-based; columns count UTF-16 units, a byte-order mark not among them. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

/** Keys and list indexes from the root of the file. */
export type KeyPath = readonly (string | number)[];

/** A problem that still has to be placed in the text. */
export type ConfigIssue = {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  readonly path: KeyPath;
  readonly message: string;
};

/** A problem that keeps the config from being used. */
export function error(code: ProblemCode, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'error', code, path, message };
}

/** A problem that a lab may live with. */
export function warning(code: ProblemCode, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'warning', code, path, message };
}

/** How a path is written in messages and in JSON. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
