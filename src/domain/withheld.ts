/** Placeholder for job text that a process cannot redact, because it lacks one of the job's secrets. */

const START = '(withheld: ';

/** `missing`: names of the missing variables. */
export function withheldText(missing: readonly string[]): string {
  return `${START}this process was not given ${missing.join(', ')} and cannot redact it)`;
}

/** Two placeholders may stand for different texts, so never treat them as equal. */
export function isWithheld(text: string): boolean {
  return text.startsWith(START);
}
