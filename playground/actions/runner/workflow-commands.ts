/** Reads `::command key=value::message` lines in a step's output (docs: workflow commands). */

export type LogCommand = {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
};

/** The command that a line is, or null. Only a line that begins with `::` (spaces before it do not count) is one. */
export function parseLogCommand(line: string): LogCommand | null {
  const found = /^\s*::([^\s:]+)(?:\s+((?:(?!::).)*))?::(.*)$/s.exec(line);
  if (found === null) return null;
  const [, command = '', properties = '', message = ''] = found;
  return {
    command: command.toLowerCase(),
    properties: parseProperties(properties),
    message: unescapeData(message),
  };
}

/**
 * Follows `::stop-commands::token` … `::token::`: inside, nothing is a command.
 * Returns the command of each line in turn, or null when the line is text.
 */
export function createCommandReader(): (line: string) => LogCommand | null {
  let stopToken: string | null = null;
  return (line) => {
    if (stopToken !== null) {
      if (line.trim().toLowerCase() === `::${stopToken.toLowerCase()}::`) stopToken = null;
      return null;
    }
    const command = parseLogCommand(line);
    if (command?.command !== 'stop-commands') return command;
    stopToken = command.message;
    return null;
  };
}

function parseProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    if (equals > 0) properties[pair.slice(0, equals).trim()] = unescapeProperty(pair.slice(equals + 1));
  }
  return properties;
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  const partly = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':');
  return partly.replaceAll('%2C', ',').replaceAll('%25', '%');
}
