/** Reads `::command key=value::message` and `##[command key=value]message` in a step's output (docs: workflow commands; actions/runner, ActionCommand). */

export type LogCommand = {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
};

/** Every command that the runner knows; a line with another name is plain text. */
const KNOWN: ReadonlySet<string> = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]);

/**
 * The command in a line, or null. `::name::` counts at the start of a line (after spaces). The older `##[name]` counts
 * anywhere in a line, so stop commands before you print an untrusted log. `resume`: the token that ends a stop; it is a
 * command during the stop.
 */
export function parseLogCommand(line: string, resume: string | null = null): LogCommand | null {
  const isKnown = (name: string): boolean => {
    const lower = name.toLowerCase();
    return KNOWN.has(lower) || lower === resume?.toLowerCase();
  };
  const [, head, message = ''] = /^\s*::((?:(?!::).)*)::(.*)$/s.exec(line) ?? [];
  if (head !== undefined) {
    const [name, properties] = splitHead(head);
    if (isKnown(name)) {
      const pairs = parseProperties(properties, ',', unescapeProperty);
      return { command: name.toLowerCase(), properties: pairs, message: unescapeData(message) };
    }
  }
  const [, older, rest = ''] = /##\[([^\]]*)\](.*)$/s.exec(line) ?? [];
  if (older === undefined) return null;
  const [name, properties] = splitHead(older);
  if (!isKnown(name)) return null;
  const pairs = parseProperties(properties, ';', unescapeOlder);
  return { command: name.toLowerCase(), properties: pairs, message: unescapeOlder(rest) };
}

/** How a reader classifies a line: a command, text, or a stop that the runner does not accept. */
export type ReadLine =
  | { readonly kind: 'command'; readonly command: LogCommand }
  | { readonly kind: 'text' }
  | { readonly kind: 'bad-stop' };

/**
 * Handles `::stop-commands::token` … `::token::`: between them, no line is a command. The runner refuses a token that
 * can be guessed or is a command itself, because the printed log could end the stop with it.
 */
export function createCommandReader(): (line: string) => ReadLine {
  let stopToken: string | null = null;
  return (line) => {
    const command = parseLogCommand(line, stopToken);
    if (stopToken !== null) {
      if (command?.command === stopToken) stopToken = null;
      return { kind: 'text' };
    }
    if (command === null) return { kind: 'text' };
    if (command.command !== 'stop-commands') return { kind: 'command', command };
    const token = command.message.toLowerCase();
    if (token === '' || token === 'pause-logging' || KNOWN.has(token)) return { kind: 'bad-stop' };
    stopToken = token;
    return { kind: 'text' };
  };
}

function splitHead(head: string): readonly [string, string] {
  const space = head.indexOf(' ');
  return space < 0 ? [head, ''] : [head.slice(0, space), head.slice(space + 1)];
}

function parseProperties(text: string, separator: string, toText: (value: string) => string): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=');
    if (equals > 0) properties[pair.slice(0, equals).trim()] = toText(pair.slice(equals + 1));
  }
  return properties;
}

function unescapeOlder(text: string): string {
  const partly = text.replaceAll('%3B', ';').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  return partly.replaceAll('%5D', ']').replaceAll('%25', '%');
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  const partly = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':');
  return partly.replaceAll('%2C', ',').replaceAll('%25', '%');
}
