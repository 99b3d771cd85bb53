/** The server's settings from its environment, each with what it means and what is wrong with it. */

import { z } from 'zod';
import { fail, ok, type Result } from '../../domain/result.ts';

/** How often the server looks for what webhooks did not bring. */
export const SWEEP_PERIOD_MS = 30 * 60 * 1_000;

export type ServeOptions = {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly baseUrl: string;
  readonly serverUrl: string;
  readonly host: string;
  readonly port: number;
  readonly workDirectory: string;
  readonly sweepPeriodMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
};

const schema = z.object({
  APP_ID: z.coerce.number().int().positive(),
  PRIVATE_KEY: z.string().min(1),
  WEBHOOK_SECRET: z.string().min(8),
  GITHUB_API_URL: z.url().default('https://api.github.com'),
  GITHUB_SERVER_URL: z.url().default('https://github.com'),
  FERRYBOT_HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  FERRYBOT_WORK_DIR: z.string().min(1),
  FERRYBOT_SWEEP_MS: z.coerce.number().int().min(500).default(SWEEP_PERIOD_MS),
});

/** The options, or one line for each variable that is missing or malformed. */
export function readServeOptions(
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Result<ServeOptions, readonly string[]> {
  const parsed = schema.safeParse(environment);
  if (!parsed.success)
    return fail(
      parsed.error.issues.map(({ path: [name = ''], message }) =>
        environment[String(name)] === undefined
          ? `${String(name)} is missing`
          : `${String(name)}: ${message}`,
      ),
    );
  const env = parsed.data;
  return ok({
    appId: env.APP_ID,
    privateKey: env.PRIVATE_KEY.replaceAll('\\n', '\n'),
    webhookSecret: env.WEBHOOK_SECRET,
    baseUrl: env.GITHUB_API_URL.replace(/\/$/, ''),
    serverUrl: env.GITHUB_SERVER_URL.replace(/\/$/, ''),
    host: env.FERRYBOT_HOST,
    port: env.PORT,
    workDirectory: env.FERRYBOT_WORK_DIR,
    sweepPeriodMs: env.FERRYBOT_SWEEP_MS,
    environment,
    now,
  });
}
