/** Commands inside of words, `$(…)` and backquotes: where they end, and whether they only look. */

/** Programs that print something and change nothing. */
const LOOKERS = [
  ...['cat', 'curl', 'date', 'hostname', 'whoami', 'uname', 'id', 'dirname', 'basename', 'pwd', 'nproc'],
  ...['echo', 'printf', 'head', 'tail', 'grep', 'awk', 'jq', 'cut', 'tr', 'sed', 'stat', 'mount', 'findmnt'],
  ...['lsb_release', 'dpkg', 'getent', 'wc', 'seq', 'which', 'df', 'du', 'ls', 'realpath', 'readlink'],
];

/** The command in a word that begins here, or null where none does; arithmetic is one that only looks. */
export function substitution(rest: string): { readonly length: number; readonly isHarmless: boolean } | null {
  if (rest.startsWith('`')) {
    const end = rest.indexOf('`', 1);
    return end === -1 ? UNENDED : { length: end + 1, isHarmless: isLooking(rest.slice(1, end)) };
  }
  if (!rest.startsWith('$(')) return null;
  const end = closing(rest);
  if (end === null) return UNENDED;
  const inner = rest.slice(2, end);
  return { length: end + 1, isHarmless: inner.startsWith('(') || isLooking(inner) };
}

const UNENDED = { length: 0, isHarmless: false } as const;

/** Whether every command in this text only looks. */
export function onlyLooks(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const found = substitution(text.slice(at));
    if (found === null) continue;
    if (!found.isHarmless) return false;
    at += found.length - 1;
  }
  return true;
}

/** Where the bracket of `$(` is closed, outside of quotes. */
function closing(rest: string): number | null {
  let depth = 0;
  let quote = '';
  for (let at = 1; at < rest.length; at += 1) {
    const sign = rest[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '(') depth += 1;
    else if (sign === ')') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return null;
}

function isLooking(command: string): boolean {
  const told = command.replaceAll(/\d?>\s*(?:\/dev\/null|&\d)/g, '').replaceAll(/'[^']*'|"[^"$`]*"/g, 'x');
  if (/[;&>`]|\$\(|\n/.test(told)) return false;
  return told.split('|').every((part) => LOOKERS.includes(part.trim().split(/\s+/)[0] ?? ''));
}
