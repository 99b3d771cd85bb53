/** A problem of a config, with its place and code. */

export type ConfigProblem = {
  readonly severity: 'error' | 'warning';
  /** For scripts to match on; each rule across keys has its own. */
  readonly code: string;
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
  readonly code: string;
  readonly path: KeyPath;
  readonly message: string;
};

/** A problem that makes the config invalid. */
export function error(code: string, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'error', code, path, message };
}

/** A problem that makes the config invalid, if it is there. */
export function errorIf(
  isBroken: boolean,
  code: string,
  path: KeyPath,
  message: string,
): readonly ConfigIssue[] {
  return isBroken ? [error(code, path, message)] : [];
}

/** A problem that does not make the config invalid. */
export function warning(code: string, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'warning', code, path, message };
}

/** A problem that does not make the config invalid, if it is there. */
export function warningIf(
  isOdd: boolean,
  code: string,
  path: KeyPath,
  message: string,
): readonly ConfigIssue[] {
  return isOdd ? [warning(code, path, message)] : [];
}

/** A config path as people write it, such as `lanes.daily.cluster`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
