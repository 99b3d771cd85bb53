/** Hides registered secrets in everything that a job logs. */

export type Masks = {
  /** Registers a value, each of its lines, and the forms in which it usually leaks (base64, JSON). */
  readonly add: (secret: string) => void;
  readonly apply: (text: string) => string;
  /** Whether a text would show a secret; job outputs that do are not handed on. */
  readonly hides: (text: string) => boolean;
};

export function createMasks(secrets: readonly string[] = []): Masks {
  const values = new Set<string>();
  let longestFirst: readonly string[] = [];
  const masks: Masks = {
    add: (secret) => {
      for (const value of formsOf(secret)) values.add(value);
      longestFirst = [...values].sort((a, b) => b.length - a.length);
    },
    apply: (text) => longestFirst.reduce((masked, value) => masked.replaceAll(value, () => '***'), text),
    hides: (text) => longestFirst.some((value) => text.includes(value)),
  };
  for (const secret of secrets) masks.add(secret);
  return masks;
}

function formsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const plain = [secret.trim(), ...lines].filter((value) => value !== '');
  return plain.flatMap((value) => {
    const base64 = Buffer.from(value, 'utf8').toString('base64');
    return [value, JSON.stringify(value).slice(1, -1), base64, base64.replace(/=+$/, '')];
  });
}
