/** Arguments of `check-consent`: where and when the comment was written, and by whom as far as that decides. */

import { parseArgs } from 'node:util';
import { PERMISSIONS, permits } from '../../../domain/actor.ts';
import type { CommentFacts } from '../../../domain/facts.ts';
import type { Instant } from '../../../domain/ids.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { fromRfc3339 } from '../../../domain/time.ts';

export type ConsentFlags = {
  readonly path: string;
  readonly thread: number;
  /** When it was written, and when it is judged. */
  readonly at: Instant;
  readonly now: Instant;
  readonly surface: CommentFacts['surface'];
  readonly isBot: boolean;
  readonly mayConsent: boolean;
};

const SURFACES = ['comment', 'review', 'review-comment'] as const;

/** Reads them; `--now` is `--at` where it is not given, and the author may what the default config asks for. */
export function consentFlags(args: readonly string[]): Result<ConsentFlags, string> {
  const parsed = parse(args);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed.value;
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) return fail('check-consent needs one path of a logbook');
  if (!/^[1-9]\d{0,9}$/.test(values.thread ?? ''))
    return fail('--thread takes the number of an issue or pull request');
  const at = fromRfc3339(values.at ?? '');
  const now = fromRfc3339(values.now ?? values.at ?? '');
  if (at === null || now === null)
    return fail('--at, and --now where it is given, take a time such as 2026-11-21T12:00:00Z');
  const surface = SURFACES.find((one) => one === values.surface);
  const [held, needs] = [values.permission, values.needs].map((name) =>
    PERMISSIONS.find((one) => one === name),
  );
  if (surface === undefined) return fail(`--surface takes ${SURFACES.join(', ')}`);
  if (held === undefined || needs === undefined)
    return fail(`--permission and --needs take ${PERMISSIONS.join(', ')}`);
  const { thread, bot: isBot } = values;
  return ok({
    path,
    thread: Number(thread),
    at,
    now,
    surface,
    isBot,
    mayConsent: permits(held, needs),
  });
}

type Parsed = {
  readonly values: {
    readonly thread?: string | undefined;
    readonly at?: string | undefined;
    readonly now?: string | undefined;
    readonly surface: string;
    readonly permission: string;
    readonly needs: string;
    readonly bot: boolean;
  };
  readonly positionals: readonly string[];
};

function parse(args: readonly string[]): Result<Parsed, string> {
  try {
    return ok(
      parseArgs({
        args: [...args],
        allowPositionals: true,
        options: {
          thread: { type: 'string' },
          at: { type: 'string' },
          now: { type: 'string' },
          surface: { type: 'string', default: 'comment' },
          permission: { type: 'string', default: 'maintain' },
          needs: { type: 'string', default: 'maintain' },
          bot: { type: 'boolean', default: false },
          json: { type: 'boolean', default: false },
        },
      }),
    );
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return fail(error.message);
    throw error;
  }
}
