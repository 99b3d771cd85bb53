/**
 * Hides registered secrets in everything that a job logs. It masks exactly what the runner masks, so that a leak on
 * GitHub is visible here too.
 */

export type Masks = {
  /** Registers a value, each of its lines, and the encoded forms that the runner recognizes. */
  readonly add: (secret: string) => void;
  readonly apply: (text: string) => string;
  /** Whether a text contains a secret; such job outputs are dropped. */
  readonly hides: (text: string) => boolean;
};

export function createMasks(secrets: readonly string[] = []): Masks {
  const values = new Set<string>();
  const masks: Masks = {
    add: (secret) => {
      for (const value of splitSecret(secret)) for (const form of encodedForms(value)) values.add(form);
    },
    apply: (text) =>
      maskRanges(
        text,
        [...values].flatMap((value) => findRanges(text, value)),
      ),
    hides: (text) => [...values].some((value) => text.includes(value)),
  };
  for (const secret of secrets) masks.add(secret);
  return masks;
}

type Range = { readonly from: number; readonly to: number };

/**
 * The whole value and each of its lines, because a log is masked line by line (actions/runner,
 * Worker.InitializeSecretMasker).
 */
function splitSecret(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return [secret.trim(), ...lines].filter((value) => value !== '');
}

/** The forms that actions/runner registers for a value (HostContext, ValueEncoders), without the two for PowerShell. */
function encodedForms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  // After a prefix of unknown length, a value has one of three base64 forms.
  const base64 = [0, 1, 2].map((shift) => (bytes.length > shift ? bytes.subarray(shift) : bytes));
  const forms = [
    value,
    ...base64.map((part) => part.toString('base64')),
    value.replaceAll('"', '\\"'),
    value.replaceAll("'", "''"),
    JSON.stringify(value).slice(1, -1),
    uriEscaped(value),
    xmlEscaped(value),
    value.length > 8 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : '',
  ];
  return forms.filter((form) => form !== '');
}

/** Escapes by RFC 3986, which leaves fewer characters unescaped than encodeURIComponent. */
function uriEscaped(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function xmlEscaped(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => XML[sign] ?? sign);
}

/** Every occurrence of a value, including overlapping ones. */
function findRanges(text: string, value: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + 1))
    ranges.push({ from, to: from + value.length });
  return ranges;
}

/** Replaces overlapping or adjacent ranges with one `***` (actions/runner, SecretMasker.MaskSecrets). */
function maskRanges(text: string, ranges: readonly Range[]): string {
  let shown = '';
  let at = 0;
  let hiddenTo = -1;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from > hiddenTo) {
      shown += `${text.slice(at, from)}***`;
      hiddenTo = to;
    } else hiddenTo = Math.max(hiddenTo, to);
    at = hiddenTo;
  }
  return shown + text.slice(at);
}
