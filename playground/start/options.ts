/** Options of `npm start`, read strictly: an unknown one is an error that says what there is. */

import { parseArgs } from 'node:util';

export type StartOptions = {
  readonly port: number;
  /** Absolute folder that keeps everything, or null for a new temporary one. */
  readonly keep: string | null;
  readonly webhooks: boolean;
  readonly server: boolean;
  readonly auto: boolean;
  readonly days: number;
  readonly json: boolean;
};

export const USAGE = `npm start -- [options]
  --port N             port of the page and the API (default: 4610, with --auto any free one)
  --keep DIR           keep repositories, logbook, job records and logs in DIR, and go on from there
  --webhooks on|off    whether GitHub's webhooks and comment events arrive; off leaves the sweep alone
  --server on|off      the App's server, or the action alone
  --auto               plays the person, prints each stage, exits after the seal
  --days N             with --auto: so many daily ferries, the clock moved by 24 h between them
  --json               one JSON value on the last line of standard output
`;

export type ParsedOptions =
  | { readonly ok: true; readonly options: StartOptions }
  | { readonly ok: false; readonly message: string };

/** Reads the arguments. Nothing is guessed: a value that is no number, or not on or off, is refused. */
export function readOptions(args: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        keep: { type: 'string' },
        webhooks: { type: 'string', default: 'on' },
        server: { type: 'string', default: 'on' },
        auto: { type: 'boolean', default: false },
        days: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      strict: true,
    });
    return checked({
      ...values,
      port: values.port ?? (values.auto ? '0' : '4610'),
      keep: values.keep ?? null,
    });
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

type Raw = {
  readonly port: string;
  readonly keep: string | null;
  readonly webhooks: string;
  readonly server: string;
  readonly auto: boolean;
  readonly days: string;
  readonly json: boolean;
};

function checked(raw: Raw): ParsedOptions {
  const port = Number(raw.port);
  const days = Number(raw.days);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return { ok: false, message: `--port ${raw.port} is no port` };
  if (!Number.isInteger(days) || days < 1 || days > 31)
    return { ok: false, message: `--days ${raw.days} is not a number from 1 to 31` };
  for (const name of ['webhooks', 'server'] as const) {
    if (raw[name] !== 'on' && raw[name] !== 'off')
      return { ok: false, message: `--${name} is on or off, not ${raw[name]}` };
  }
  if (days > 1 && !raw.auto)
    return { ok: false, message: '--days needs --auto: between days somebody has to move the clock' };
  return {
    ok: true,
    options: {
      port,
      days,
      keep: raw.keep,
      webhooks: raw.webhooks === 'on',
      server: raw.server === 'on',
      auto: raw.auto,
      json: raw.json,
    },
  };
}
