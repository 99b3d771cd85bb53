/** The placeholder for a text of a job that a process cannot redact, because it lacks a secret that the job has. */

const START = '(withheld: ';

/** What is recorded in place of the text. `missing`: the variables that this process lacks. */
export function withheldText(missing: readonly string[]): string {
  return `${START}this process was not given ${missing.join(', ')} and cannot redact it)`;
}

/** Whether a recorded text is the placeholder. It names nothing, so two placeholders are not the same thing. */
export function isWithheld(text: string): boolean {
  return text.startsWith(START);
}
