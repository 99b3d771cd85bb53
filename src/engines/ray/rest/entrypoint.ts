/** A command as the one shell line that Ray's Jobs API takes. */

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Ray hands the entrypoint to `sh -c` (python/ray/dashboard/modules/job/job_supervisor.py), so every argument is
 * quoted: nothing in it is expanded, split or run (POSIX shell, 2.2.2 Single-Quotes). Null for a command that no
 * shell can be given: NUL ends a string there.
 */
export function entrypointOf(command: readonly string[]): string | null {
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
