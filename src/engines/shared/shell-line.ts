/** A command as one line of a POSIX shell: what Ray's Jobs API takes, and people read. */

/** The command of a job that somebody else has launched: a sweep's is some hundred, and it is shown whole or not at all. */
const ENTRYPOINT_CHARACTERS_MAX = 4_000;

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Ray hands the entrypoint to `sh -c` (python/ray/dashboard/modules/job/job_supervisor.py), so every argument is
 * quoted: nothing in it is expanded, split or run (POSIX shell, 2.2.2 Single-Quotes). Null for a command that no
 * shell can be given: NUL ends a string there.
 */
export function shellLineOf(command: readonly string[]): string | null {
  if (command.some((part) => part.includes('\0'))) return null;
  const [program = '', ...rest] = command;
  // `a=b` in front would be taken for a variable.
  const first = program.includes('=') ? quoted(program) : word(program);
  return [first, ...rest.map(word)].join(' ');
}

function word(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A line that says all of what is started; null where there is none, and where it is too long to be shown: half of one is another. */
export function withinLine(line: string): string | null {
  return line === '' || line.length > ENTRYPOINT_CHARACTERS_MAX ? null : line;
}
