/** Secrets typed into a text: known token formats, and literals assigned to a telling name. */

import { withoutNamed, withoutShapes } from './token-shapes.ts';

export const HIDDEN = '***';

const NAME = String.raw`[\w.-]{0,64}(?:key|token|secret|passw(?:or)?d|passphrase)`;
/** `NAME=value`, `name: value`, `"name": "value"`, `--name value`, with at least 16 characters in the value. */
const ASSIGNED = new RegExp(
  String.raw`(?<![\w.-])((?:${NAME}["']?\s{0,4}[:=]|--?${NAME}\s)\s{0,4}["']?)([^\s"'\`,;]{16,4096})`,
  'gi',
);
/** `$X`, `${X}`, `$(command)`, `{placeholder}`, `<|special token|>`. */
const REFERENCE = /^(?:\$[A-Za-z_{(]|\{|<)/;
const PATH = /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?:\.{0,2}|~)\/(?:[\w.-]+\/)+[\w.-]+$)/i;
const NUMBER = /^[\d.,_+-]+$/;
const WORD = /^(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20}|[A-Za-z]{1,10}\d{1,4}[a-z]?|\d{1,8}[A-Za-z]{0,2})$/;

/** Replaces secrets; keeps settings such as `pad_token=7` and names such as `my-k8s-secret`. */
export function withoutTokens(text: string): string {
  return withoutShapes(text, HIDDEN).replace(ASSIGNED, (whole, name: string, value: string) =>
    isLiteralSecret(value) ? `${name}${HIDDEN}` : whole,
  );
}

/** Like `withoutTokens`, for all texts in machine output: there, `token=…` is a secret of any length. */
export function withoutMachineSecrets<Value>(value: Value): Value {
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return withoutNamed(withoutTokens(one), HIDDEN);
    if (Array.isArray(one)) return one.map(clean);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [withoutTokens(name), clean(inner)]),
    );
  };
  return clean(value) as Value;
}

/** Names of variables and options that hold a secret, including replaced ones; null if there is no secret. */
export function secretNames(text: string): readonly string[] | null {
  const written = text.replace(/(?<=[=:\s"'])(?:\$\{?\w{1,64}\}?|\{\w{1,64}\})(?=[\s"'@]|$)/g, '');
  // A shell joins `hf_''abc` into one word.
  const clean = [written, written.replace(/["'\\]/g, '')].map(withoutTokens);
  const found = clean.filter((one) => one.includes(HIDDEN));
  return found.length === 0 ? null : [...new Set(found.flatMap(namesBeforeHidden))];
}

function namesBeforeHidden(clean: string): readonly string[] {
  const before =
    /(?<![\w.-])(?:(-{0,2}[A-Za-z_][\w.-]{0,63})(?:=|:\s{1,4}|["']\s{0,4}:\s{0,4})|(--?[A-Za-z_][\w.-]{0,63})\s{1,4})["']?[^\s"'=]{0,64}\*\*\*/g;
  return [...clean.matchAll(before)].flatMap(([, assigned, option]) => {
    const name = assigned ?? option ?? '';
    return isLiteralSecret(name) ? [] : [name];
  });
}

/** False for references, paths, numbers and identifiers made of words. */
function isLiteralSecret(value: string): boolean {
  if (REFERENCE.test(value) || PATH.test(value) || NUMBER.test(value)) return false;
  return !value.split(/[^A-Za-z0-9]+/).every(isMadeOfWords);
}

function isMadeOfWords(chunk: string): boolean {
  const words = chunk.split(/(?<=[a-z])(?=[A-Z])/);
  // Random text alternates between letters, digits and cases more often than words do.
  const numbers = chunk.match(/\d+/g) ?? [];
  const isCalm = numbers.length <= 1 && words.length <= Math.max(1, chunk.length / 3);
  return chunk === '' || (isCalm && words.every((word) => WORD.test(word)));
}
