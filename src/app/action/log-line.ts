/** Escapes log lines of a workflow run, so that foreign text cannot act as a workflow command. */

/**
 * One redacted line with its fields. The runner executes `::set-output …` at the start of a line and the older `##[set-output …]`
 * anywhere (actions/runner, src/Runner.Common/ActionCommand.cs).
 */
export function logLine(
  line: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  clean: (text: string) => string,
): string {
  const whole = clean(`${line}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  // Cc includes escapes and line breaks; some readers also break lines at Zl and Zp.
  const flat = whole.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('##[', '## [');
  return /^\s*::/.test(flat) ? `| ${flat}` : flat;
}

/** Escapes each line of a text. */
export function logLines(text: string, clean: (text: string) => string): readonly string[] {
  // Redact first, because a secret may span lines.
  return clean(text)
    .split(/\r\n|[\r\n]/)
    .map((line) => logLine(line, undefined, clean));
}
