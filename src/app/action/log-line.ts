/** A line for the log of a workflow run, in which nothing that others said can be taken for a command. */

/**
 * The line with its fields, all in one line and without secrets. The runner reads its job's output for workflow
 * commands at the beginning of each line (`::set-output …`, `##[command]`; docs.github.com, workflow commands): a
 * message of a cluster or of git that brought its own line break could speak to it.
 */
export function logLine(
  line: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  clean: (text: string) => string,
): string {
  const whole = clean(`${line}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  // Cc holds escapes and line breaks, Zl and Zp the two others that some readers break lines at.
  const flat = whole.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return /^\s*(?:::|##\[)/.test(flat) ? `| ${flat}` : flat;
}
