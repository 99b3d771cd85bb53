/** A problem of a config, with its place and code. */

/** Codes for scripts to match on; each rule across keys has its own. */
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
  'cluster-file-missing',
  'program-of-the-change',
  'scope-builds',
  'not-in-fix-scope',
  'fixer-without-scope',
  'pre-approved-trains',
  'thresholds-order',
  'scan-not-dry',
  'disk-nowhere',
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
  /** Dotted path of the key; empty for the whole file. */
  readonly path: string;
  /** 1-based. Columns count UTF-16 units without the byte order mark. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

/** Keys and list indexes from the root. */
export type KeyPath = readonly (string | number)[];

/** A problem without its position in the text. */
export type ConfigIssue = {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  readonly path: KeyPath;
  readonly message: string;
};

/** A problem that makes the config invalid. */
export function error(code: ProblemCode, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'error', code, path, message };
}

/** A problem that makes the config invalid, if it is there. */
export function errorIf(
  isBroken: boolean,
  code: ProblemCode,
  path: KeyPath,
  message: string,
): readonly ConfigIssue[] {
  return isBroken ? [error(code, path, message)] : [];
}

/** A problem that does not make the config invalid. */
export function warning(code: ProblemCode, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'warning', code, path, message };
}

/** A config path as people write it, such as `lanes.daily.cluster`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
