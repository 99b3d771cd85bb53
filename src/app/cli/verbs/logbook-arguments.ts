/** Arguments of the two logbook verbs: a path, and what to hold it against. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { limits } from '../../../domain/limits.ts';
import { publicKeySchema } from '../../../domain/logbook/parts.ts';
import type { PublicKey } from '../../../domain/logbook/role.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';

/** An entry that the caller knows of: `seq` null when only its hash is known. */
export type GivenHead = { readonly seq: number | null; readonly hash: string };

export type LogbookArguments = {
  readonly path: string;
  readonly keys: readonly PublicKey[] | null;
  readonly head: GivenHead | null;
};

export type LogbookOptions = { readonly keys?: string | undefined; readonly head?: string | undefined };

/** Reads the path and what `--keys` and `--head` name; the error is what the person did wrong. */
export async function readLogbookArguments(
  cwd: string,
  path: string,
  options: LogbookOptions,
): Promise<Result<LogbookArguments, string>> {
  const head = options.head === undefined ? ok(null) : headOf(options.head);
  if (!head.ok) return head;
  const keys = options.keys === undefined ? ok(null) : await keysFrom(resolve(cwd, options.keys));
  return keys.ok ? ok({ path: resolve(cwd, path), keys: keys.value, head: head.value }) : keys;
}

/** At least 12 hex digits, as everywhere where a person shortens a hash. */
const HEAD = /^(?:(\d{1,15}):)?([0-9a-f]{12,64})$/;

function headOf(text: string): Result<GivenHead, string> {
  const match = HEAD.exec(text);
  if (match === null) return fail('--head takes seq:hash, or a hash, of at least 12 hex digits');
  return ok({ seq: match[1] === undefined ? null : Number(match[1]), hash: match[2] ?? '' });
}

/** Only the keys are read: a logbook can be verified with a config that has a mistake elsewhere. */
const keysSchema = z.looseObject({ keys: z.array(publicKeySchema).min(1) });

async function keysFrom(path: string): Promise<Result<readonly PublicKey[], string>> {
  try {
    const found = keysSchema.safeParse(
      parse(await readFile(path, 'utf8'), { maxAliasCount: limits.configAliasesMax }),
    );
    return found.success
      ? ok(found.data.keys)
      : fail(`${path} lists no keys: ${z.prettifyError(found.error)}`);
  } catch (error) {
    return fail(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
