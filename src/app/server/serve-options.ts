/** Reads the server's settings from the environment. */

import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { fail, ok, type Result } from '../../domain/values.ts';
import { parseSigningKey } from '../../host/keys.ts';
import { KEY_VARIABLES } from '../signers.ts';

/** How often the server sweeps for lost webhooks. */
export const SWEEP_PERIOD_MS = 30 * 60 * 1_000;

/**
 * Repositories that the server handles at the same time. A batch sends one request after the other and starts git programs, so that this
 * bounds processes and memory.
 */
export const WORKERS = 8;
export const WORKERS_MAX = 64;
/** How long a stop waits for running batches: below the 30 s after which Kubernetes kills, and the 90 s of systemd. */
export const STOP_PATIENCE_MS = 25_000;

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
  readonly workers: number;
  readonly stopPatienceMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
};

/** Files for systemd need two backslashes. */
const withLineBreaks = (text: string): string => text.replaceAll(/\\{1,2}n/g, '\n');

const schema = z.object({
  APP_ID: z.coerce.number().int().positive(),
  PRIVATE_KEY: z.string().min(1).refine(isRsaKey, 'not an RSA private key in PEM: download a new one from the App'),
  [KEY_VARIABLES.control]: z
    .string()
    .refine((text) => text === '' || parseSigningKey(text).ok, 'not an Ed25519 private key in PEM')
    .optional(),
  WEBHOOK_SECRET: z.string().min(8),
  GITHUB_API_URL: z.url().default('https://api.github.com'),
  GITHUB_SERVER_URL: z.url().default('https://github.com'),
  FERRYBOT_HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  FERRYBOT_WORK_DIR: z.string().min(1),
  FERRYBOT_SWEEP_MS: z.coerce.number().int().min(500).default(SWEEP_PERIOD_MS),
  FERRYBOT_WORKERS: z.coerce.number().int().min(1).max(WORKERS_MAX).default(WORKERS),
  FERRYBOT_STOP_MS: z.coerce.number().int().min(0).default(STOP_PATIENCE_MS),
});

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(withLineBreaks(text)).asymmetricKeyType === 'rsa';
  } catch (error) {
    // Do not report OpenSSL's message, which may quote a part of the key.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** The options, or one line for each missing or malformed variable. */
export function readServeOptions(
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Result<ServeOptions, readonly string[]> {
  const parsed = schema.safeParse(environment);
  if (!parsed.success)
    return fail(
      parsed.error.issues.map(({ path: [name = ''], message }) =>
        environment[String(name)] === undefined ? `${String(name)} is missing` : `${String(name)}: ${message}`,
      ),
    );
  const env = parsed.data;
  return ok({
    appId: env.APP_ID,
    privateKey: withLineBreaks(env.PRIVATE_KEY),
    webhookSecret: env.WEBHOOK_SECRET,
    baseUrl: env.GITHUB_API_URL.replace(/\/$/, ''),
    serverUrl: env.GITHUB_SERVER_URL.replace(/\/$/, ''),
    host: env.FERRYBOT_HOST,
    port: env.PORT,
    workDirectory: env.FERRYBOT_WORK_DIR,
    sweepPeriodMs: env.FERRYBOT_SWEEP_MS,
    workers: env.FERRYBOT_WORKERS,
    stopPatienceMs: env.FERRYBOT_STOP_MS,
    environment,
    now,
  });
}
