/** `ferrybot doctor`: reports what is set up in a lab's repository, what is missing, and what this token cannot see. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { brandAs, isInstant } from '../../../domain/values.ts';
import { createClient, type GitHubClient } from '../../../github/call.ts';
import { readFileText, readRepository } from '../../../github/settings.ts';
import { runProgram } from '../../../host/process.ts';
import { readSigningKeys } from '../../compose-lab.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { runDoctorChecks } from '../doctor/checks.ts';
import { type DoctorContext, readFacts } from '../doctor/facts.ts';
import type { Finding, Verdict } from '../doctor/verdict.ts';
import { EXIT, pathEnv, reply, usageError, type VerbIo } from '../verb-io.ts';

/**
 * Exit 0 if all findings are ok or warnings; an unknown counts as not ok. Repository: GITHUB_REPOSITORY or the checkout's `origin`. Token:
 * GITHUB_TOKEN or GH_TOKEN. API: GITHUB_API_URL or github.com.
 */
export async function doctorVerb(io: VerbIo): Promise<number> {
  const { environment } = io;
  const token = environment['GITHUB_TOKEN'] ?? environment['GH_TOKEN'] ?? '';
  if (token === '') return usageError(io, 'doctor needs a token in GITHUB_TOKEN or GH_TOKEN');
  const repository = environment['GITHUB_REPOSITORY'] ?? (await readOrigin(io));
  const [owner = '', repo = ''] = (repository ?? '').split('/');
  if (owner === '' || repo === '')
    return usageError(io, 'doctor needs GITHUB_REPOSITORY=owner/name, or a checkout with a remote origin');
  const baseUrl = environment['GITHUB_API_URL'] ?? 'https://api.github.com';
  const client = createClient({
    octokit: new Octokit({ auth: token, baseUrl, userAgent: 'ferrybot', log: QUIET }),
    owner,
    repo,
    baseUrl,
    sleep: (durationMs) => sleep(durationMs),
    now: Date.now,
  });
  const findings = await examineLab(client, {
    cwd: io.cwd,
    signingKeys: readSigningKeys(environment),
    now: brandAs(Date.now(), isInstant),
    serverUrl: environment['FERRYBOT_SERVER_URL'],
  });
  const ok = findings.every(({ state }) => state === 'ok' || state === 'warning');
  reply(io, { ok, repository: `${owner}/${repo}`, findings }, `${findings.map(formatFinding).join('\n')}\n`);
  return ok ? EXIT.yes : EXIT.no;
}

function formatFinding({ check, state, found, remedy }: Finding): string {
  const line = `${state.padEnd(8)} ${check.padEnd(30)} ${found}`;
  return remedy === '' ? line : `${line}\n${' '.repeat(9)}${remedy}`;
}

/** Silent, because a refused request becomes a finding. */
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

async function readOrigin(io: VerbIo): Promise<string | null> {
  const asked = await runProgram('git', ['remote', 'get-url', 'origin'], { env: pathEnv(io), cwd: io.cwd });
  const found = /[:/]([^/:]+\/[^/]+?)(?:\.git)?$/.exec(asked.stdout.trim());
  return asked.ok ? (found?.[1] ?? null) : null;
}

/** One finding for each check, in order. Without a valid config, only the `config` finding. Changes nothing. */
export async function examineLab(client: GitHubClient, here: DoctorContext): Promise<readonly Finding[]> {
  const repository = await readRepository(client);
  if (repository.kind === 'unknown')
    return configOnlyReport({ state: 'unknown', found: repository.why }, 'Check the name and the token.');
  const text = await readFileText(client, CONFIG_PATH, repository.value.default_branch);
  if (text.kind === 'unknown') return configOnlyReport({ state: 'unknown', found: text.why }, PUT_A_CONFIG);
  const reading = readLabConfig(text.value);
  if (reading.kind !== 'valid') {
    const [first] = reading.problems;
    const found = `line ${first?.line ?? 1}: ${first?.message ?? 'not valid'}`;
    return configOnlyReport({ state: 'missing', found }, PUT_A_CONFIG);
  }
  const { config } = reading;
  return runDoctorChecks(await readFacts(client, repository.value, { config, configText: text.value }, here));
}

function configOnlyReport(verdict: Verdict, todo: string): readonly Finding[] {
  return [{ check: 'config', ...verdict, remedy: todo }];
}

const PUT_A_CONFIG = `Put a valid ${CONFIG_PATH} on the default branch; \`ferrybot check-config\` reports its problems.`;
