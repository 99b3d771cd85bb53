/** Matches a command line's tokens with its arguments. */

import type { ZodError } from 'zod';
import { nearest } from '../../settings/nearness.ts';
import type { ArgumentSpec, CommandSpec } from '../spec.ts';
import { folded } from './characters.ts';
import type { ErrorCode } from './reading.ts';
import type { Token, Tokens } from './tokens.ts';

/** The first fault; a missing argument is reported at the end of the line. */
type ArgumentFault = {
  readonly code: ErrorCode;
  readonly start: number;
  readonly text: string;
  readonly suggest?: string;
  /** The expected value, or the name of a missing or unusable argument. */
  readonly takes?: string;
};

export type FittedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly fault: ArgumentFault };

/** Arguments by name, or the leftmost fault. `lineLength`: position for a missing argument. */
export function fitArguments(spec: CommandSpec, found: Tokens, lineLength: number): FittedArguments {
  const values = new Map<string, string>();
  for (const [index, token] of found.tokens.entries()) {
    const fault =
      token.key === null ? takeValue(spec, token, values) : takeKey(spec, token, token.key, values);
    if (fault !== null) return { ok: false, fault: withQuotes(fault, found.tokens[index - 1]) };
  }
  if (found.fault !== null) return { ok: false, fault: found.fault };
  const missing = missingOf(spec, values);
  if (missing !== null)
    return {
      ok: false,
      fault: { code: 'missing-argument', start: lineLength, text: missing, takes: missing },
    };
  return { ok: true, args: Object.fromEntries(values) };
}

/** After `reason=too`, an extra word is probably part of the value. */
function withQuotes(fault: ArgumentFault, before: Token | undefined): ArgumentFault {
  const isRest =
    fault.code === 'extra-words' && before !== undefined && before.key !== null && !before.isQuoted;
  return isRest ? { ...fault, takes: 'a value with blanks needs double quotes around it' } : fault;
}

function takeValue(spec: CommandSpec, token: Token, values: Map<string, string>): ArgumentFault | null {
  const { positional } = spec;
  if (positional === undefined || values.has(positional.name))
    return spec.holdsBack === true ? null : faultOf('extra-words', token, token.value);
  return accept(positional.name, positional, token, values);
}

function takeKey(
  spec: CommandSpec,
  token: Token,
  key: string,
  values: Map<string, string>,
): ArgumentFault | null {
  const declared = Object.hasOwn(spec.keys, key) ? spec.keys[key] : undefined;
  const argument = declared ?? freeArgument(spec, key);
  if (argument === null) {
    const suggest = nearest(folded(key), Object.keys(spec.keys));
    return { ...faultOf('unknown-key', token, key), takes: key, ...(suggest === null ? {} : { suggest }) };
  }
  if (values.has(key)) return { ...faultOf('duplicate-key', token, key), takes: key };
  if (token.value === '' && !token.isQuoted) return faultOf('bad-value', token, `${key}=`);
  return accept(key, argument, token, values);
}

/** Accepts keys that are not listed, unless one resembles a listed key and is probably a typo. */
function freeArgument(spec: CommandSpec, key: string): ArgumentSpec | null {
  const { freeKeys } = spec;
  if (freeKeys === undefined || !freeKeys.name.safeParse(key).success || key === spec.positional?.name)
    return null;
  return nearest(folded(key), Object.keys(spec.keys)) === null
    ? { required: false, value: freeKeys.value }
    : null;
}

function accept(
  name: string,
  argument: ArgumentSpec,
  token: Token,
  values: Map<string, string>,
): ArgumentFault | null {
  const parsed = argument.value.safeParse(token.value);
  if (!parsed.success)
    return { ...faultOf('bad-value', token, token.value), takes: takesOf(name, parsed.error) };
  values.set(name, parsed.data);
  return null;
}

function takesOf(name: string, { issues }: ZodError): string {
  return `${name}: ${issues[0]?.message ?? 'another value'}`;
}

function missingOf(spec: CommandSpec, values: ReadonlyMap<string, string>): string | null {
  const { positional } = spec;
  if (positional?.required && !values.has(positional.name)) return positional.name;
  const missing = Object.entries(spec.keys).find(([key, argument]) => argument.required && !values.has(key));
  return missing?.[0] ?? null;
}

function faultOf(code: ErrorCode, token: Token, text: string): ArgumentFault {
  return { code, start: token.start, text };
}
