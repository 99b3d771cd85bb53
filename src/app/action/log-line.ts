/** A line for the log of a workflow run, in which nothing that others said can be taken for a command. */

/**
 * The line with its fields, all in one line and without secrets. The runner reads its job's output for workflow
 * commands: `::set-output …` at the beginning of a line, and the older `##[set-output …]` anywhere in it
 * (actions/runner, src/Runner.Common/ActionCommand.cs). A message of a cluster or of git could speak to it by either.
 */
export function logLine(
  line: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  clean: (text: string) => string,
): string {
  const whole = clean(`${line}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  // Cc holds escapes and line breaks, Zl and Zp the two others that some readers break lines at.
  const flat = whole.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('##[', '## [');
  return /^\s*::/.test(flat) ? `| ${flat}` : flat;
}

/** A text of several lines for the same log, line for line, each as `logLine` gives it. */
export function logLines(text: string, clean: (text: string) => string): readonly string[] {
  // Whole first: a secret may reach over a line break.
  return clean(text)
    .split(/\r\n|[\r\n]/)
    .map((line) => logLine(line, undefined, clean));
}
