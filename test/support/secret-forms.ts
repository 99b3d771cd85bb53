/** Forms of a secret in programs' output: JSON, Python, shell, URL, base64, and combinations of these. */

/**
 * Every text in which the secret may appear in output, itself first. Sources: RFC 8259 and Python's
 * `json.dumps` (ASCII only), `repr`, `shlex.quote`; POSIX shell quoting; RFC 3986 and `urllib.parse.quote`;
 * RFC 4648.
 */
export function secretForms(secret: string): readonly string[] {
  const inJson = json(secret);
  const inAsciiJson = ascii(inJson);
  const plain = [secret, inJson, inAsciiJson, pythonRepr(secret)];
  const nested = [...plain, json(inJson), json(inAsciiJson)];
  return [...new Set([...nested, ...nested.flatMap(shellQuoted), ...percent(secret), ...base64(secret)])];
}

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Python chooses double quotes if that saves escapes, so a single quote may appear either way. */
function pythonRepr(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replace(/'(?=[\s\S]*")/g, "\\'");
}

/** Within single quotes: as Python's shlex, as a person, and within double quotes. */
function shellQuoted(text: string): readonly string[] {
  return [
    text.replaceAll("'", `'"'"'`),
    text.replaceAll("'", `'\\''`),
    text.replace(/["$`\\]/g, (sign) => `\\${sign}`),
  ];
}

function percent(text: string): readonly string[] {
  const component = encodeURIComponent(text.toWellFormed());
  const all = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return [component, all, all.replaceAll('%2F', '/'), all.replaceAll('%20', '+')].flatMap((form) => [
    form,
    form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

/** Without the padding, because more text may follow. */
function base64(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}
