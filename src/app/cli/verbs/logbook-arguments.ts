/** Arguments of the logbook verbs: a path, and the keys and head to verify against. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { limits } from '../../../domain/limits.ts';
import type { PublicKey } from '../../../domain/logbook/role.ts';
import { publicKeySchema } from '../../../domain/logbook/role.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import type { Anchor } from '../../../logbook/ports.ts';

export type LogbookArguments = {
  readonly path: string;
  readonly keys: readonly PublicKey[] | null;
  readonly head: Anchor | null;
};

export type LogbookOptions = { readonly keys?: string | undefined; readonly head?: string | undefined };

/** Parses the arguments; the error is for people. */
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

function headOf(text: string): Result<Anchor, string> {
  const [, seq, hash = ''] = /^(\d{1,15}):([0-9a-f]{12,64})$/.exec(text) ?? [];
  return seq === undefined
    ? fail('--head takes seq:hash, with at least 12 hex digits of the hash')
    : ok({ seq: Number(seq), hash });
}

/** Reads only the keys, so that a config with an error elsewhere still works. */
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
